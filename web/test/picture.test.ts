import { describe, expect, it } from "vitest";
import type { Reading } from "../src/contract";
import { rowOf } from "../src/matrix";
import { ALL_LAYERS, alignmentPicture, isRtl, pictureOf, rowOfToken, rowSums, unfinished, wordPicture } from "../src/picture";

const token = (text: string, word: number, id = 5) => ({ id, text, word });
const reading: Reading = {
  run: { id: "r", name: "r", hash: "0", step: null },
  source: { text: "ab c", words: ["ab", "c"], tokens: [token("▁a", 0), token("b", 0), token("▁c", 1), token("</s>", -1, 3)] },
  target: { text: "x", words: ["x"], tokens: [token("▁x", 0), token("</s>", -1, 3)] },
  picture: null, score: null, log_prob: -1, steps: [], notes: [],
  attention: {
    encoder: [], omitted: [],
    cross: [{ shape: [2, 2, 4], data: [0.5, 0.25, 0.25, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1] }],
    decoder: [{ shape: [1, 2, 2], data: [1, 0, 0.5, 0.5] }],
  },
  copying: null, alignment: { weights: { shape: [1, 2], data: [0.7, 0.1] }, end: [0.2], links: [[0, 0]], choice: { layer: 0, heads: null, shift: false } },
};

describe("the picture of a reading", () => {
  it("over words is the alignment the server chose, until a layer or head is named", () => {
    const words = { kind: "cross" as const, layer: null, head: null, level: "word" as const };
    expect(rowOf(pictureOf(reading, words)!.map, 0)).toEqual([0.7, 0.1, 0.2]);
    expect(rowOf(pictureOf(reading, { ...words, layer: 0, head: 0 })!.map, 0)).toEqual([0.75, 0.25, 0]);
  });

  it("shows the weight on </s>, so that a row holds all of it", () => {
    const words = { kind: "cross" as const, layer: 0, head: null, level: "word" as const };
    const picture = pictureOf(reading, words)!;
    expect(picture.cols).toEqual(["ab", "c", "</s>"]);
    expect(picture.colTokens).toEqual([[0, 1], [2], [3]]);
    expect(rowSums(picture)).toEqual([1, 1]);
    expect(rowSums(pictureOf(reading, { ...words, layer: null })!)[0]).toBeCloseTo(1);
    const found = alignmentPicture(reading.alignment!, ["x"], ["ab", "c"], null);
    expect([found.cols, rowOf(found.map, 0)]).toEqual([["ab", "c", "</s>"], [0.7, 0.1, 0.2]]);
    expect(wordPicture(reading.alignment!.weights, ["x"], ["ab", "c"], null).whole).toBe(false);
  });

  it("of a text that was not ended has no row of </s>", () => {
    const picture = pictureOf(reading, { kind: "cross", layer: 0, head: 0, level: "token" })!;
    const open = unfinished(picture);
    expect([picture.rows, open.rows]).toEqual([["▁x", "</s>"], ["▁x"]]);
    expect([open.map.rows, rowOf(open.map, 0), open.rowTokens]).toEqual([1, rowOf(picture.map, 0), [[0]]]);
  });

  it("over all layers is their mean, for each kind of attention", () => {
    const two: Reading = { ...reading, attention: { ...reading.attention,
      encoder: [{ shape: [1, 1, 2], data: [1, 0] }, { shape: [1, 1, 2], data: [0, 1] }, { shape: [1, 1, 2], data: [0.5, 0.5] }],
      cross: [...reading.attention.cross, { shape: [2, 2, 4], data: [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0] }],
      decoder: [...reading.attention.decoder, { shape: [1, 2, 2], data: [1, 0, 0, 1] }] } };
    const choice = (kind: "cross" | "encoder" | "decoder", head: number | null = null) => ({ kind, layer: ALL_LAYERS, head, level: "token" as const });
    expect(rowOf(pictureOf(two, choice("encoder"))!.map, 0)).toEqual([0.5, 0.5]);
    expect(rowOf(pictureOf(two, choice("decoder"))!.map, 1)).toEqual([0.25, 0.75]);
    expect(rowOf(pictureOf(two, choice("cross"))!.map, 0)).toEqual([0.625, 0.0625, 0.3125, 0]);
    expect(rowOf(pictureOf(two, choice("cross", 1))!.map, 0)).toEqual([0.5, 0, 0.5, 0]);
    // a choice of all layers is not the alignment that the server chose
    expect(rowOf(pictureOf(two, { ...choice("cross"), level: "word" })!.map, 0)[1]).toBeCloseTo(0.3125);
  });

  it("over tokens is a head or the mean", () => {
    const tokens = { kind: "cross" as const, layer: 0, head: null, level: "token" as const };
    expect(rowOf(pictureOf(reading, tokens)!.map, 0)).toEqual([0.25, 0.125, 0.625, 0]);
    expect(pictureOf(reading, tokens)!.cols).toEqual(["▁a", "b", "▁c", "</s>"]);
  });

  it("of decoder self-attention looks back to <s>", () => {
    const own = pictureOf(reading, { kind: "decoder", layer: null, head: null, level: "token" })!;
    expect(own.cols).toEqual(["<s>", "▁x"]);
    expect(rowOf(own.map, 1)).toEqual([0.5, 0.5]);
  });

  it("is missing where the model has no such map", () => {
    expect(pictureOf(reading, { kind: "encoder", layer: null, head: null, level: "word" })).toBeNull();
  });

  it("shows gold links only over the reference", () => {
    const gold = { reference: "x", links: [[0, 0] as [number, number]], applies: false, score: null };
    const words = { kind: "cross" as const, layer: null, head: null, level: "word" as const };
    expect(pictureOf(reading, words, gold)!.gold).toBeNull();
    expect(pictureOf(reading, words, { ...gold, applies: true })!.gold).toEqual([[0, 0]]);
  });

  it("knows the row of a token, and that </s> has none among words", () => {
    const words = pictureOf(reading, { kind: "cross", layer: null, head: null, level: "word" })!;
    expect(rowOfToken(words, 0)).toBe(0);
    expect(rowOfToken(words, 1)).toBe(-1);
  });
});

describe("right to left", () => {
  it("is decided by the first letter", () => {
    expect(isRtl("שלום עולם")).toBe(true);
    expect(isRtl("123 مرحبا")).toBe(true);
    expect(isRtl("나는 שלום")).toBe(false);
    expect(isRtl("«…»")).toBe(false);
  });
});
