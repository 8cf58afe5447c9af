import { describe, expect, it } from "vitest";
import type { BeamNode, Edit, Reading } from "../src/contract";
import { colourOf, inkOn, table, type Scale, type Theme } from "../src/drawing/colour";
import { walk } from "../src/drawing/keys";
import { idsTo, kept, openingAt, placeTree } from "../src/drawing/tree";
import { dragged, editedRow, forced, toggledBlank, weightsAfter, withPrefix, withTeacher } from "../src/edits";
import { crc, textChunk } from "../src/exporting";
import { number, short, signed } from "../src/format";

function lightness(colour: string): number {
  const [r = 0, g = 0, b = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const c = Number(part) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe("colour scales", () => {
  it.each(["light", "dark"] as Theme[])("carry weights by lightness alone (%s)", (theme) => {
    const steps = Array.from({ length: 21 }, (_, i) => lightness(colourOf(i / 20, "weights", theme)));
    const sign = theme === "light" ? -1 : 1;
    for (let i = 1; i < steps.length; i++) expect((steps[i]! - steps[i - 1]!) * sign).toBeGreaterThan(0);
  });

  it.each([["weights", "light"], ["weights", "dark"], ["difference", "light"], ["difference", "dark"]] as [Scale, Theme][])(
    "leave numbers readable (%s, %s)", (scale, theme) => {
      for (let i = -20; i <= 20; i++) {
        const [ink, ground] = [inkOn(i / 20, scale, theme), lightness(colourOf(i / 20, scale, theme))];
        const paper = ink === "#ffffff" ? 1 : 0.005;
        expect((Math.max(paper, ground) + 0.05) / (Math.min(paper, ground) + 0.05)).toBeGreaterThan(4.2);
      }
      expect(table(scale, theme).length).toBe(768);
    });
});

describe("keys", () => {
  it("walk through a map and stop at its edges", () => {
    expect(walk("ArrowRight", { row: 0, col: 0 }, 2, 3)).toEqual({ row: 0, col: 1 });
    expect(walk("ArrowRight", { row: 0, col: 0 }, 2, 3, true)).toEqual({ row: 0, col: 0 });
    expect(walk("ArrowDown", { row: 1, col: 2 }, 2, 3)).toEqual({ row: 1, col: 2 });
    expect(walk("ArrowDown", { row: null, col: null }, 2, 3)).toEqual({ row: 0, col: 0 });
    expect(walk("x", { row: 0, col: 0 }, 2, 3)).toBeNull();
  });
});

describe("a beam tree", () => {
  const node = (id: number, parent: number, step: number, token: number, state: BeamNode["state"] = "kept"): BeamNode =>
    ({ id, parent, step, token, text: `t${id}`, log_prob: -id, token_log_prob: -1, score: -id, state });
  const nodes = [node(0, -1, 0, 2), node(1, 0, 1, 6), node(2, 0, 1, 9, "pruned"), node(3, 1, 2, 40), node(4, 3, 3, 3, "finished")];

  it("places children right of their parents, no two in one place", () => {
    const { nodes: placed } = placeTree(nodes, [0, 1, 3, 4]);
    expect(placed.length).toBe(5);
    expect(new Set(placed.map((one) => `${one.x} ${one.y}`)).size).toBe(5);
    for (const one of placed) if (one.parent) expect(one.x).toBeGreaterThan(one.parent.x);
    expect(placed.filter((one) => one.winning).map((one) => one.node.id).sort()).toEqual([0, 1, 3, 4]);
  });

  it("opens with its root in sight, and with the winning path where there is room", () => {
    const at = (y: number, winning: boolean, x = 0) => ({ node: {} as BeamNode, x, y, parent: null, winning });
    const tree = [at(500, true), at(380, true, 150), at(120, true, 300), at(900, false, 150)];
    expect(openingAt(tree, 1000, 576)).toBe((500 + 120) / 2 - 288);
    expect(openingAt(tree, 400, 576)).toBe((500 + 380) / 2 - 288); // the third node is further right
    expect(openingAt(tree, 1000, 200)).toBe(330); // no room for all of it: the root stays
    expect(openingAt([at(30, true)], 1000, 576)).toBe(0);
  });

  it("names the tokens that lead to a node, without <s> and </s>", () => {
    expect(idsTo(nodes, 4)).toEqual([6, 40]);
    expect(idsTo(nodes, 2)).toEqual([9]);
    expect(idsTo(nodes, 0)).toEqual([]);
  });

  it("can hide what was pruned", () => {
    expect(kept(nodes, [0, 1, 3, 4], false).map((one) => one.id)).toEqual([0, 1, 3, 4]);
  });
});

describe("edits", () => {
  const place = { at: 1, layer: -1, head: null };
  const base = [0.5, 0.5, 0];
  const tokens = [0, 0, 1].map((word, id) => ({ id, text: "t", word }));

  it("follow each other in a row; a weight that is dragged on is one edit", () => {
    const once = dragged([], place, 0, 0.8, tokens);
    expect(once).toEqual([{ kind: "weight", ...place, source: 0, value: 0.8 }]);
    expect(dragged(once, place, 0, 0.1, tokens)).toEqual([{ kind: "weight", ...place, source: 0, value: 0.1 }]);
    const twice = dragged(once, place, 2, 0.5, tokens);
    expect(twice.map((edit) => edit.kind)).toEqual(["weight", "weight"]);
    expect(editedRow(base, twice, place)[0]).toBeCloseTo(0.4);
    expect(dragged(twice, place, 2, 0.25, tokens)).toHaveLength(2);
    expect(editedRow(base, twice, place).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 4);
    expect(editedRow(base, twice, { ...place, at: 0 })).toBe(base);
  });

  it("undo each other where they contradict", () => {
    const forcing = forced(withPrefix([], "나는"), 2, 7);
    expect(forcing).toEqual([{ kind: "force", at: 2, token: 7 }]);
    const teacher = withTeacher([...toggledBlank([], 1, "mask", tokens), ...forcing] as Edit[], "x");
    expect(teacher.map((edit) => edit.kind)).toEqual(["blank", "teacher_forcing"]);
    expect(toggledBlank(toggledBlank([], 1, "mask", tokens), 1, "mask", tokens)).toEqual([]);
    expect(forced(teacher, 0, 7).map((edit) => edit.kind)).toEqual(["blank", "force"]);
  });

  it("set each weight once, and not that of a word which is taken away", () => {
    const back = dragged(dragged(dragged([], place, 0, 0.8, tokens), place, 2, 0.5, tokens), place, 0, 0.3, tokens);
    expect(back.map((edit) => edit.kind === "weight" && edit.source)).toEqual([2, 0]);
    const head = { ...place, head: 1 };
    expect(dragged(dragged([], place, 0, 0.8, tokens), head, 0, 0.3, tokens)).toHaveLength(2);
    expect(dragged(dragged([], head, 0, 0.8, tokens), place, 0, 0.3, tokens)).toHaveLength(1);
    const blanked = toggledBlank(dragged([], place, 2, 0.8, tokens), 1, "remove", tokens);
    expect(blanked).toEqual([{ kind: "blank", word: 1, how: "remove" }]);
    expect(dragged(blanked, place, 2, 0.5, tokens).map((edit) => edit.kind)).toEqual(["weight"]);
  });

  it("of weights go along with a given text", () => {
    const taught = dragged(withTeacher([], "x"), place, 0, 0.8, tokens);
    expect(taught.map((edit) => edit.kind)).toEqual(["teacher_forcing", "weight"]);
    expect(withTeacher(taught, null)).toEqual([]);
  });
});

describe("the weights after edits", () => {
  const reading = (ids: number[], weights: number[]) => ({ source: { tokens: [{}, {}] }, target: { tokens: ids.map((id) => ({ id })) },
    attention: { cross: [{ data: weights, shape: [1, ids.length, 2] }] } }) as unknown as Reading;
  const original = reading([5, 6, 7], [1, 0, 0.5, 0.5, 0, 1]);

  it("are those of the same step, as long as the same words stand before it", () => {
    const edited = reading([5, 8, 7], [0.9, 0.1, 0, 1, 0.2, 0.8]);
    const after = (at: number) => weightsAfter(edited, original, { at, layer: 0, head: null });
    expect(after(0)?.map((value) => value.toFixed(1))).toEqual(["0.9", "0.1"]);
    expect(after(1)).toEqual([0, 1]);
    expect(after(2)).toBeNull(); // another word was written before it
  });

  it("are unknown where the source has lost its words", () => {
    const shorter = { ...reading([5, 6, 7], [1, 1, 1]), attention: { cross: [{ data: [1, 1, 1], shape: [1, 3, 1] }] } } as unknown as Reading;
    expect(weightsAfter(shorter, original, { at: 0, layer: 0, head: null })).toBeNull();
  });
});

describe("texts", () => {
  it("are cut between characters as people see them", () => {
    expect(short("한국어👩‍👩‍👧‍👦입니다", 5)).toBe("한국어👩‍👩‍👧‍👦…");
    expect(short("한국어", 3)).toBe("한국어");
  });

  it("write numbers with a real minus", () => {
    expect(number(-0.5)).toBe("−0.500");
    expect(signed(0.25, 2)).toBe("+0.25");
    expect(number(null)).toBe("–");
  });

  it("write no minus before a zero", () => {
    expect(number(-0.0004)).toBe("0.000");
    expect(number(-0.004, 2)).toBe("0.00");
    expect(number(-0.0006)).toBe("−0.001");
    expect(number(-10)).toBe("−10.000");
  });

  it("travel in a PNG as a chunk with the right checksum", () => {
    expect(crc(new TextEncoder().encode("IEND"))).toBe(0xae426082);
    const chunk = textChunk("Description", "모델");
    expect(new DataView(chunk.buffer).getUint32(0)).toBe(chunk.length - 12);
  });
});
