// Numbers of a link, which anyone can have written.
const MOST = 1e4;

/** A number of a link, kept within its bounds. */
export function within(text: string | undefined, least: number, most: number, usual: number): number {
  const value = text === undefined || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : usual;
}

/** Numbers written as `1_-5_0.5`; the usual ones where there are not as many, or where one is none. */
export function readNumbers(text: string | undefined, usual: readonly number[]): number[] {
  const found = (text ?? "").split("_").map((one) => within(one, -MOST, MOST, NaN));
  return found.length === usual.length && found.every((one) => !Number.isNaN(one)) ? found : [...usual];
}

/** Numbers as rows of a matrix. */
export function inRows(values: readonly number[], columns: number): number[][] {
  return Array.from({ length: values.length / columns }, (_, r) => values.slice(r * columns, (r + 1) * columns));
}
