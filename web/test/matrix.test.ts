import { describe, expect, it } from "vitest";
import { argmax, at, entropy, grid, headOf, meanOf, meanOverHeads, merge, rowOf, tokensOfWords, withRow, withWeight } from "../src/matrix";

const sum = (row: number[]) => row.reduce((a, b) => a + b, 0);

describe("a dragged weight", () => {
  const row = [0.5, 0.3, 0.15, 0.05];

  it("leaves a distribution in which the others keep their proportions", () => {
    for (const value of [0, 0.2, 0.7, 1]) {
      const edited = withWeight(row, 1, value);
      expect(sum(edited)).toBeCloseTo(1, 12);
      expect(edited[1]).toBe(value);
      if (value < 1) expect(edited[0]! / edited[2]!).toBeCloseTo(row[0]! / row[2]!, 9);
    }
  });

  it("changes nothing where nothing is dragged", () => {
    withWeight(row, 2, 0.15).forEach((weight, i) => expect(weight).toBeCloseTo(row[i]!, 12));
  });

  it("shares evenly where all was in one place, and stays within 0 and 1", () => {
    expect(withWeight([1, 0, 0], 0, 0.4)).toEqual([0.4, 0.3, 0.3]);
    expect(withWeight([0.5, 0.5], 0, 7)).toEqual([1, 0]);
    expect(withWeight([1], 0, 0.5)).toEqual([0.5]);
  });
});

describe("maps", () => {
  const layer = { shape: [2, 2, 3], data: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 0.5] };

  it("are cut into heads and averaged", () => {
    expect(rowOf(headOf(layer, 1), 0)).toEqual([0, 0, 1]);
    expect(rowOf(meanOverHeads(layer), 0)).toEqual([0.5, 0, 0.5]);
    expect(rowOf(meanOverHeads(layer, [0]), 1)).toEqual([0, 1, 0]);
  });

  it("merge to words: columns summed, rows averaged, mass kept", () => {
    const tokens = [{ id: 1, text: "a", word: 0 }, { id: 2, text: "b", word: 0 }, { id: 3, text: "</s>", word: -1 }];
    const words = tokensOfWords(tokens, 1);
    expect(words).toEqual([[0, 1]]);
    const map = grid(3, 3, [0.2, 0.8, 0, 0.5, 0.1, 0.4, 0, 0, 1]);
    expect(at(merge(map, words, words), 0, 0)).toBeCloseTo((1 + 0.6) / 2, 12);
    const all = merge(map, [[0], [1], [2]], [[0, 1], [2]]);
    for (let r = 0; r < 3; r++) expect(sum(rowOf(all, r))).toBeCloseTo(1, 12);
  });

  it("have a plain mean, which keeps each row a distribution", () => {
    const mean = meanOf([grid(1, 3, [1, 0, 0]), grid(1, 3, [0, 0.5, 0.5])]);
    expect(rowOf(mean, 0)).toEqual([0.5, 0.25, 0.25]);
    expect(sum(rowOf(mean, 0))).toBe(1);
    expect(meanOf([]).rows).toBe(0);
  });

  it("get a row written anew without a change to the old one", () => {
    const before = grid(2, 2, [1, 0, 0, 1]);
    expect(rowOf(withRow(before, 1, [0.5, 0.5]), 1)).toEqual([0.5, 0.5]);
    expect(rowOf(before, 1)).toEqual([0, 1]);
  });

  it("know their largest place, and how spread they are", () => {
    expect(argmax([NaN, 0.2, 0.7])).toBe(2);
    expect(argmax([])).toBe(-1);
    expect(entropy([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(Math.log(4), 12);
    expect(entropy([1, 0])).toBeCloseTo(0, 12);
  });
});
