// How much of a gradient arrives at a source word: through every recurrent step, or directly through attention.

/** What is left after a number of steps that each multiply by the same factor. */
export const through = (factor: number, steps: number): number => factor ** steps;

/** For each of n source words, first to last, its distance in steps from the decoder's first state and what arrives there. */
export function arriving(n: number, factor: number): { word: number; steps: number; share: number }[] {
  return Array.from({ length: n }, (_, i) => ({ word: i + 1, steps: n - i, share: through(factor, n - i) }));
}
