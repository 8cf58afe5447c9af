// Random numbers that are the same in every browser, so that what a lesson says about them can be checked.

/** Uniform numbers from 0 to 1 (mulberry32). */
export function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Normal numbers with mean 0 and variance 1 (Box and Muller). */
export function normal(seed: number): () => number {
  const next = uniform(seed);
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

export function normalRows(seed: number, rows: number, columns: number): number[][] {
  const next = normal(seed);
  return Array.from({ length: rows }, () => Array.from({ length: columns }, next));
}
