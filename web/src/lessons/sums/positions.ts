// Self-attention over a handful of words, without positions and with sinusoidal ones.
import { vectorOf } from "./unrolled";
import { added, gap, scaled, softmax, times, transposed, type Rows } from "./vectors";

export const SIZE = 8;
export const WORDS = ["the", "dog", "bites", "a", "man"];

/** PE(pos): sines and cosines whose wavelengths grow from 2π towards 10000 · 2π. */
export function sinusoid(position: number, size = SIZE): number[] {
  return Array.from({ length: size }, (_, j) => {
    const angle = position / 10000 ** ((j - (j % 2)) / size);
    return j % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
  });
}

/** softmax(X Xᵀ / √d) X */
export function attend(X: Rows): number[][] {
  return times(scaled(times(X, transposed(X)), 1 / Math.sqrt(X[0]!.length)).map(softmax), X);
}

/** The output of each word, by its place in WORDS, when they stand in some order. */
export function outputs(order: readonly number[], positions: boolean): number[][] {
  const plain = order.map((word) => vectorOf(WORDS[word]!, SIZE));
  const found = attend(positions ? added(plain, order.map((_, place) => sinusoid(place))) : plain);
  return WORDS.map((_, word) => found[order.indexOf(word)]!);
}

/** By how much each word's output differs from what it is in the first order. */
export function changes(order: readonly number[], positions: boolean): number[] {
  const before = outputs(WORDS.map((_, i) => i), positions);
  return outputs(order, positions).map((row, word) => gap([row], [before[word]!]));
}

/** Whether some numbers name each word once. */
export const isOrder = (order: readonly number[]): boolean => WORDS.every((_, i) => order.includes(i)) && order.length === WORDS.length;
