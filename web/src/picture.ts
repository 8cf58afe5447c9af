// What a heat map, the links and the grid of heads show: one attention map with its labels, over tokens or words.
import type { Alignment, Gold, Link, MapKind, Matrix, Reading, Side, Token } from "./contract";
import type { Sign } from "./marks";
import { fromMatrix, grid, headOf, heads, meanOf, meanOverHeads, merge, rowOf, tokensOfWords, type Grid } from "./matrix";

export type Level = "word" | "token";
/** Stands for a layer where the mean over all of them is shown. */
export const ALL_LAYERS = -1;
export interface Choice { kind: MapKind; layer: number | null; head: number | null; level: Level }

export interface Picture {
  map: Grid;
  rows: string[];
  cols: string[];
  /** Tokens that each row or column stands for. */
  rowTokens: number[][];
  colTokens: number[][];
  /** Text direction of the columns, from the sentence they come from. */
  colsRtl: boolean;
  rowsRtl: boolean;
  gold: Link[] | null;
  /** Short texts in the corner of a cell, such as `×` where the order of words changes. */
  signs?: Sign[];
  /** Whether every column is there, so that a row holds all of the attention. */
  whole: boolean;
}

/** The end of a sentence, which is looked at like a word but is none. */
export const END = "</s>";

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const LETTER = /\p{L}/u;

/** Whether a text is written from right to left: its first letter decides. */
export function isRtl(text: string): boolean {
  const first = LETTER.exec(text);
  return first !== null && RTL.test(first[0]);
}

export function tokenLabel(token: Token): string {
  return token.text.normalize("NFC");
}

interface Axis { labels: string[]; units: number[][]; rtl: boolean }

function axis(side: Side, level: Level): Axis {
  const rtl = isRtl(side.text);
  if (level === "token") {
    return { labels: side.tokens.map(tokenLabel), units: side.tokens.map((_, i) => [i]), rtl };
  }
  return { labels: side.words.map((w) => w.normalize("NFC")), units: tokensOfWords(side.tokens, side.words.length), rtl };
}

/** The axis of what is looked at: words, and `</s>` after them, because a part of the weight is on it. */
function lookedAt(side: Side, level: Level): Axis {
  const plain = axis(side, level);
  if (level === "token") return plain;
  const rest = side.tokens.flatMap((token, i) => (token.word < 0 ? [i] : []));
  return { ...plain, labels: [...plain.labels, END], units: [...plain.units, rest] };
}

/** Columns of decoder self-attention: `<s>`, then the target without its last token. */
function shifted(side: Side, level: Level): Axis {
  const plain = axis(side, level);
  if (level === "token") {
    return { ...plain, labels: ["<s>", ...plain.labels.slice(0, -1)] };
  }
  const start = { labels: ["<s>"], units: [[0]] };
  return {
    labels: [...start.labels, ...plain.labels],
    units: [...start.units, ...plain.units.map((tokens) => tokens.map((t) => t + 1))],
    rtl: plain.rtl,
  };
}

/** Rows of decoder self-attention: each word that is written with the word before it, which its query is made from. */
function asking(written: Axis): Axis {
  return { ...written, labels: written.labels.map((label, i) => `${label} (${i === 0 ? "<s>" : written.labels[i - 1]})`) };
}

export function axesOf(reading: Reading, kind: MapKind, level: Level): { rows: Axis; cols: Axis } {
  if (kind === "encoder") return { rows: axis(reading.source, level), cols: lookedAt(reading.source, level) };
  if (kind === "decoder") return { rows: asking(axis(reading.target, level)), cols: shifted(reading.target, level) };
  return { rows: axis(reading.target, level), cols: lookedAt(reading.source, level) };
}

/** The weights over words with the column of `</s>`. */
function withEnd({ weights, end }: Alignment): Grid {
  const words = fromMatrix(weights);
  const map = grid(words.rows, words.cols + 1);
  for (let r = 0; r < words.rows; r++) {
    map.values.set(words.values.subarray(r * words.cols, (r + 1) * words.cols), r * map.cols);
    map.values[r * map.cols + words.cols] = end[r] ?? 0;
  }
  return map;
}

export function layersOf(reading: Reading, kind: MapKind): Matrix[] {
  return reading.attention[kind];
}

export function kindsOf(reading: Reading): MapKind[] {
  return (["cross", "encoder", "decoder"] as const).filter((kind) => layersOf(reading, kind).length > 0);
}

export function headCount(reading: Reading, kind: MapKind): number {
  const first = layersOf(reading, kind)[0];
  return first ? heads(first) : 0;
}

function tokenMap(reading: Reading, choice: Choice): Grid | null {
  const layers = layersOf(reading, choice.kind);
  if (layers.length === 0) return null;
  const read = choice.kind === "cross" && choice.layer === null ? reading.alignment?.choice : undefined;
  const last = layers.length - 1;
  if (choice.layer === ALL_LAYERS) return meanOf(layers.map((layer) => headOrMean(layer, choice.head)));
  const number = Math.min(Math.max(choice.layer ?? read?.layer ?? last, 0), last);
  return headOrMean(layers[number]!, choice.head, read?.heads);
}

function headOrMean(layer: Matrix, head: number | null, read?: readonly number[] | null): Grid {
  return head !== null && head < heads(layer) ? headOf(layer, head) : meanOverHeads(layer, read);
}

/** The picture of a reading under a choice of map, layer, head and level; null where the model has no such map. */
export function pictureOf(reading: Reading, choice: Choice, gold: Gold | null = null): Picture | null {
  const tokens = tokenMap(reading, choice);
  if (tokens === null) return null;
  const { rows, cols } = axesOf(reading, choice.kind, choice.level);
  const asAlignment = choice.kind === "cross" && choice.level === "word" && choice.layer === null && choice.head === null;
  let map: Grid;
  if (asAlignment && reading.alignment) map = withEnd(reading.alignment);
  else map = choice.level === "word" ? merge(tokens, rows.units, cols.units) : tokens;
  const overlay = choice.kind === "cross" && choice.level === "word" && gold?.applies ? gold.links : null;
  return {
    map, rows: rows.labels, cols: cols.labels, rowTokens: rows.units, colTokens: cols.units,
    rowsRtl: rows.rtl, colsRtl: cols.rtl, gold: overlay, whole: true,
  };
}

/** The picture without its last row: that of `</s>`, where a text was not ended. */
export function unfinished(picture: Picture): Picture {
  const { rows, cols, values } = picture.map;
  const map = grid(Math.max(0, rows - 1), cols, values);
  return { ...picture, map, rows: picture.rows.slice(0, -1), rowTokens: picture.rowTokens.slice(0, -1) };
}

/** What the rows of a picture that is whole sum to: the least and the most. */
export function rowSums({ map }: Picture): [number, number] {
  const sums = Array.from({ length: map.rows }, (_, r) => rowOf(map, r).reduce((sum, weight) => sum + weight, 0));
  return [Math.min(...sums), Math.max(...sums)];
}

/** A picture of attention over words and `</s>`, as the comparison and learning views have it. */
export function alignmentPicture(found: Alignment, targetWords: string[], sourceWords: string[], gold: Link[] | null): Picture {
  const words = wordPicture(found.weights, targetWords, sourceWords, gold);
  return { ...words, map: withEnd(found), cols: [...words.cols, END], colTokens: [...words.colTokens, [sourceWords.length]], whole: true };
}

/** A picture of numbers over plain words, such as measured effects. */
export function wordPicture(matrix: Matrix, targetWords: string[], sourceWords: string[], gold: Link[] | null): Picture {
  return {
    map: fromMatrix(matrix),
    rows: targetWords, cols: sourceWords,
    rowTokens: targetWords.map((_, i) => [i]), colTokens: sourceWords.map((_, i) => [i]),
    rowsRtl: isRtl(targetWords.join(" ")), colsRtl: isRtl(sourceWords.join(" ")), gold, whole: false,
  };
}

export function emptyPicture(): Picture {
  return { map: grid(0, 0), rows: [], cols: [], rowTokens: [], colTokens: [], rowsRtl: false, colsRtl: false, gold: null, whole: false };
}

/** The row of a picture that shows a target token; −1 where none does (`</s>` at the level of words). */
export function rowOfToken(picture: Picture, token: number): number {
  return picture.rowTokens.findIndex((tokens) => tokens.includes(token));
}
