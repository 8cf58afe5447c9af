import { describe, expect, it } from "vitest";
import { common, difference } from "../src/alignment";
import { grid, rowOf } from "../src/matrix";
import type { Picture } from "../src/picture";

function picture(rows: string[], cols: string[], values: number[]): Picture {
  return { map: grid(rows.length, cols.length, values), rows, cols, rowTokens: rows.map((_, i) => [i]),
    colTokens: cols.map((_, i) => [i]), rowsRtl: false, colsRtl: false, gold: null, whole: true };
}

describe("common words", () => {
  it("are matched in order, each once", () => {
    expect(common(["a", "b", "c", "a"], ["b", "x", "a"])).toEqual([[1, 0], [3, 2]]);
    expect(common([], ["a"])).toEqual([]);
  });

  it("of a text with itself are all of them", () => {
    const words = ["the", "dog", "saw", "the", "dog"];
    expect(common(words, words)).toEqual(words.map((_, i) => [i, i]));
  });

  it("are as many from either side", () => {
    const [a, b] = [["1", "2", "3", "2", "1"], ["2", "1", "2", "3"]];
    expect(common(a, b).length).toBe(common(b, a).length);
  });
});

describe("the difference of two maps", () => {
  const before = picture(["x", "y", "z"], ["a", "b"], [1, 0, 0.5, 0.5, 0, 1]);

  it("of a map with itself is nothing but zeros", () => {
    const none = difference(before, before);
    expect([...none.picture.map.values].every((value) => value === 0)).toBe(true);
    expect([none.onlyAfter, none.onlyBefore, none.sources]).toEqual([[], [], []]);
  });

  it("compares words that both have, wherever they stand, and names the others", () => {
    const after = picture(["w", "x", "z"], ["a", "b"], [0.2, 0.8, 0.25, 0.75, 0, 1]);
    const found = difference(after, before);
    expect(rowOf(found.picture.map, 0).every(Number.isNaN)).toBe(true);
    expect(rowOf(found.picture.map, 1)).toEqual([-0.75, 0.75]);
    expect(rowOf(found.picture.map, 2)).toEqual([0, 0]);
    expect(found.onlyAfter).toEqual(["w"]);
    expect(found.onlyBefore).toEqual(["y"]);
    expect(found.rows).toBe(2);
  });

  it("compares only source words that both read", () => {
    const after = picture(["x"], ["b"], [1]);
    const found = difference(after, before);
    expect(rowOf(found.picture.map, 0)).toEqual([1]);
    expect(found.sources).toEqual(["a"]);
  });
});
