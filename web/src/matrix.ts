// Arithmetic on attention maps. Rows look, columns are looked at.
import type { Matrix, Token } from "./contract";

export interface Grid { rows: number; cols: number; values: Float64Array }

export function grid(rows: number, cols: number, values?: ArrayLike<number | null>): Grid {
  const out = new Float64Array(rows * cols);
  if (values) for (let i = 0; i < out.length; i++) out[i] = values[i] ?? NaN;
  return { rows, cols, values: out };
}

/** A matrix of the contract with two dimensions. */
export function fromMatrix(matrix: Matrix): Grid {
  const [rows = 0, cols = 0] = matrix.shape;
  return grid(rows, cols, matrix.data);
}

export function heads(layer: Matrix): number {
  return layer.shape[0] ?? 0;
}

/** One head of a layer [heads, rows, columns]. */
export function headOf(layer: Matrix, head: number): Grid {
  const [, rows = 0, cols = 0] = layer.shape;
  const start = head * rows * cols;
  return grid(rows, cols, layer.data.slice(start, start + rows * cols));
}

/** The mean over some heads of a layer, over all of them unless named. */
export function meanOverHeads(layer: Matrix, chosen?: readonly number[] | null): Grid {
  const [count = 0, rows = 0, cols = 0] = layer.shape;
  const which = chosen && chosen.length > 0 ? chosen : Array.from({ length: count }, (_, h) => h);
  const out = grid(rows, cols);
  for (const head of which) {
    const start = head * rows * cols;
    for (let i = 0; i < out.values.length; i++) out.values[i]! += (layer.data[start + i] ?? 0) / which.length;
  }
  return out;
}

/** The plain mean of maps of one size. */
export function meanOf(maps: readonly Grid[]): Grid {
  const out = grid(maps[0]?.rows ?? 0, maps[0]?.cols ?? 0);
  for (const map of maps) for (let i = 0; i < out.values.length; i++) out.values[i]! += map.values[i]! / maps.length;
  return out;
}

export function at(map: Grid, row: number, col: number): number {
  return map.values[row * map.cols + col] ?? NaN;
}

export function rowOf(map: Grid, row: number): number[] {
  return Array.from(map.values.subarray(row * map.cols, (row + 1) * map.cols));
}

/** The map with one of its rows replaced. */
export function withRow(map: Grid, row: number, values: readonly number[]): Grid {
  const out = { ...map, values: map.values.slice() };
  out.values.set(values, row * map.cols);
  return out;
}

export function largest(map: Grid): number {
  let most = 0;
  for (const value of map.values) if (Math.abs(value) > most) most = Math.abs(value);
  return most;
}

export function argmax(row: readonly number[]): number {
  let best = -1;
  row.forEach((value, i) => {
    if (!Number.isNaN(value) && (best < 0 || value > row[best]!)) best = i;
  });
  return best;
}

/** Tokens of each word, in order; tokens of no word (−1) are left out. */
export function tokensOfWords(tokens: readonly Token[], words: number): number[][] {
  const out: number[][] = Array.from({ length: words }, () => []);
  tokens.forEach((token, i) => out[token.word]?.push(i));
  return out;
}

/**
 * Words instead of tokens: a word is looked at through any of its tokens, so columns are summed; it is written by all of
 * its tokens, each with a distribution of its own, so rows are averaged. The same rule as `jumok.alignment.merge_to_words`.
 */
export function merge(map: Grid, rowUnits: readonly number[][], colUnits: readonly number[][]): Grid {
  const out = grid(rowUnits.length, colUnits.length);
  rowUnits.forEach((rowTokens, r) => {
    colUnits.forEach((colTokens, c) => {
      let sum = 0;
      for (const t of rowTokens) for (const s of colTokens) sum += at(map, t, s);
      out.values[r * out.cols + c] = rowTokens.length > 0 ? sum / rowTokens.length : 0;
    });
  });
  return out;
}

/** A row of weights with one of them set by hand: the others keep their proportions and share the rest. */
export function withWeight(row: readonly number[], index: number, value: number): number[] {
  const wanted = Math.min(1, Math.max(0, value));
  const others = row.reduce((sum, weight, i) => (i === index ? sum : sum + weight), 0);
  return row.map((weight, i) => {
    if (i === index) return wanted;
    if (others > 0) return (weight / others) * (1 - wanted);
    return row.length > 1 ? (1 - wanted) / (row.length - 1) : 0;
  });
}

export function entropy(row: readonly number[]): number {
  return row.reduce((sum, p) => (p > 0 ? sum - p * Math.log(p) : sum), 0);
}
