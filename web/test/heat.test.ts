// What is painted on a map, read off a context that writes down what it is told to paint.
import { describe, expect, it } from "vitest";
import { paint, type Scene } from "../src/drawing/heat";
import { grid } from "../src/matrix";
import type { Picture } from "../src/picture";

interface Painted { what: "text" | "patch"; text: string; x: number; y: number; width: number; height: number }

/** A context whose letters are 6 pixels wide. */
function recorder(): { context: CanvasRenderingContext2D; painted: Painted[] } {
  const painted: Painted[] = [];
  const own: Record<string, unknown> = {
    font: "", textBaseline: "",
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillRect: (x: number, y: number, width: number, height: number) => painted.push({ what: "patch", text: "", x, y, width, height }),
    fillText(text: string, x: number, y: number) {
      const height = Number(/([\d.]+)px/.exec(String(own.font))![1]);
      painted.push({ what: "text", text, x, y: own.textBaseline === "middle" ? y - height / 2 : y, width: 6 * text.length, height });
    },
  };
  const context = new Proxy(own, { get: (all, name) => (name in all ? all[name as string] : () => undefined), set: (all, name, value) => ((all[name as string] = value), true) });
  return { context: context as unknown as CanvasRenderingContext2D, painted };
}

function scene(cell: number): Scene {
  const signs = [{ row: 0, col: 0, text: "× 1:n n:1" }, { row: 0, col: 1, text: "×" }];
  const picture: Picture = { map: grid(1, 3, [0.76, 0.2, 0.04]), rows: ["a"], cols: ["x", "y", "z"], rowTokens: [[0]], colTokens: [[0], [1], [2]],
    colsRtl: false, rowsRtl: false, gold: null, signs, whole: true };
  const inks = new Proxy({}, { get: () => "#000000" }) as Scene["inks"];
  const frame = { left: 0, top: 0, width: 3 * cell, height: cell, cell, x: 0, y: 0 } as Scene["frame"];
  return { picture, frame, image: {} as HTMLCanvasElement, scale: "weights", most: 1, theme: "light", inks, focus: { row: null, col: null }, digits: 2 };
}

describe("a map with signs", () => {
  it.each([30, 37, 44, 58, 90])("shows sign and number of a cell of %i pixels one above the other", (cell) => {
    const { context, painted } = recorder();
    paint(context, scene(cell));
    const numbers = painted.filter((one) => /^\.\d\d$/.test(one.text));
    const patches = painted.filter((one) => one.what === "patch");
    expect(numbers.map((one) => one.text)).toEqual([".76", ".20", ".04"]);
    expect(patches.length).toBe(2);
    for (const patch of patches) {
      const column = Math.floor(patch.x / cell);
      expect(patch.x + patch.width).toBeLessThanOrEqual((column + 1) * cell); // a long sign stays in its cell
      expect(numbers[column]!.y).toBeGreaterThanOrEqual(patch.y + patch.height);
      expect(numbers[column]!.y + numbers[column]!.height).toBeLessThanOrEqual(cell);
    }
    expect(numbers[2]!.y + numbers[2]!.height / 2).toBeCloseTo(cell / 2, 9); // without a sign: in the middle
  });
});
