// Vectors and matrices of a lesson, as plain numbers.
export type Vector = readonly number[];
export type Rows = readonly Vector[];

export const sum = (values: Vector): number => values.reduce((total, value) => total + value, 0);
export const mean = (values: Vector): number => sum(values) / values.length;
export const dot = (a: Vector, b: Vector): number => sum(a.map((value, i) => value * b[i]!));
export const transposed = (a: Rows): number[][] => (a[0] ?? []).map((_, c) => a.map((row) => row[c]!));
export const times = (a: Rows, b: Rows): number[][] => {
  const columns = transposed(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
};
export const scaled = (a: Rows, by: number): number[][] => a.map((row) => row.map((value) => value * by));
export const added = (a: Rows, b: Rows): number[][] => a.map((row, r) => row.map((value, c) => value + b[r]![c]!));

/** The largest difference between two matrices of one size. */
export const gap = (a: Rows, b: Rows): number => Math.max(...a.flatMap((row, r) => row.map((value, c) => Math.abs(value - b[r]![c]!))));

export function softmax(scores: Vector): number[] {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const all = sum(powers);
  return powers.map((power) => power / all);
}

/** The weighted sum of rows: a context vector. */
export const weighted = (weights: Vector, rows: Rows): number[] => times([weights], rows)[0]!;
