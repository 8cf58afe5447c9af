// Which words of two texts stand for each other, and what their maps have in common.
import { at, grid, type Grid } from "./matrix";
import type { Picture } from "./picture";

/** Pairs of places of a longest common subsequence, from left to right. */
export function common(left: readonly string[], right: readonly string[]): [number, number][] {
  const [m, n] = [left.length, right.length];
  const length = Array.from({ length: m + 1 }, () => new Int32Array(n + 1));
  for (let i = m - 1; i >= 0; i--) {
    for (let j = n - 1; j >= 0; j--) {
      length[i]![j] = left[i] === right[j] ? length[i + 1]![j + 1]! + 1 : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < m && j < n;) {
    if (left[i] === right[j]) pairs.push([i++, j++]);
    else if (length[i + 1]![j]! >= length[i]![j + 1]!) i++;
    else j++;
  }
  return pairs;
}

export interface Compared {
  /** `after` minus `before`, over the words of `after`; nothing (NaN) where a word has no counterpart. */
  picture: Picture;
  /** Words that only one of the two has, and that could therefore not be compared. */
  onlyAfter: string[];
  onlyBefore: string[];
  /** Source words that only one of the two read. */
  sources: string[];
  rows: number;
}

const places = (pairs: [number, number][], side: 0 | 1) => new Set(pairs.map((pair) => pair[side]));
const others = (labels: readonly string[], taken: Set<number>) => labels.filter((_, i) => !taken.has(i));

/** The difference of two maps whose words may differ: rows and columns are matched by an edit alignment. */
export function difference(after: Picture, before: Picture): Compared {
  const rows = common(after.rows, before.rows);
  const cols = common(after.cols, before.cols);
  const map: Grid = grid(after.map.rows, after.map.cols);
  map.values.fill(NaN);
  for (const [r, r0] of rows) {
    for (const [c, c0] of cols) map.values[r * map.cols + c] = at(after.map, r, c) - at(before.map, r0, c0);
  }
  return {
    picture: { ...after, map, whole: false },
    onlyAfter: others(after.rows, places(rows, 0)),
    onlyBefore: others(before.rows, places(rows, 1)),
    sources: [...others(after.cols, places(cols, 0)), ...others(before.cols, places(cols, 1))],
    rows: rows.length,
  };
}
