import { describe, expect, it } from "vitest";
import { boxOf, shades, weightsOf, looksAt } from "../src/regions";
import { alignmentPicture } from "../src/picture";

const read = { id: "x", png: "", width: 6, height: 4, rows: 2, columns: 3 };
const found = { weights: { shape: [2, 6], data: [0, 0.1, 0.5, 0.1, 0.2, 0.1, 1, 0, 0, 0, 0, 0] }, end: [0, 0], links: [], choice: { layer: 0, heads: null, shift: false } };
const map = alignmentPicture(found, ["red", "star"], ["a", "b", "c", "d", "e", "f"], null);

describe("regions of a picture", () => {
  it("have the weights of a word, without a column for the end of a sentence", () => {
    expect(weightsOf(map, 0, read)).toEqual([0, 0.1, 0.5, 0.1, 0.2, 0.1]);
    expect(looksAt(map, 0)).toEqual([0, 1]);
  });
  it("are darker the less they are looked at", () => {
    const [none, , most] = shades(weightsOf(map, 0, read));
    expect(most).toBe(0);
    expect(none).toBeGreaterThan(0.5);
  });
  it("lie row by row from the top left", () => {
    expect(boxOf(4, read, 60, 40)).toEqual({ x: 20, y: 20, width: 20, height: 20 });
  });
});
