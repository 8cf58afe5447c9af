// A tiny recurrent encoder and decoder, unrolled: real states from fixed random parameters.
import { normalRows } from "./seeded";
import { added, scaled, times, type Rows } from "./vectors";

const SIZE = 4;
/** The parameters of one network: W for the word, U for the state before. */
interface Cell { W: Rows; U: Rows }
const cellOf = (seed: number): Cell => ({ W: normalRows(seed, SIZE, SIZE), U: scaled(normalRows(seed + 1, SIZE, SIZE), 0.5) });
const ENCODER = cellOf(11);
const DECODER = cellOf(23);

/** A word's vector: the same for the same word. */
export function vectorOf(word: string, size = SIZE): number[] {
  const seed = [...word].reduce((mixed, mark) => Math.imul(mixed, 31) + mark.codePointAt(0)!, 7);
  return normalRows(seed, 1, size)[0]!;
}

function next({ W, U }: Cell, word: string, before: readonly number[]): number[] {
  return added(times([vectorOf(word)], W), times([before], U))[0]!.map(Math.tanh);
}

function states(cell: Cell, words: readonly string[], first: readonly number[]): number[][] {
  const out = [[...first]];
  for (const word of words) out.push(next(cell, word, out.at(-1)!));
  return out;
}

export interface Unrolled { encoder: number[][]; decoder: number[][]; inputs: string[] }

/** All states h_0 … h_n of the encoder, and those of the decoder, which starts from the last of them and reads `<s>` first. */
export function unroll(source: readonly string[], target: readonly string[]): Unrolled {
  const encoder = states(ENCODER, source, Array.from({ length: SIZE }, () => 0));
  const inputs = ["<s>", ...target.slice(0, -1)];
  return { encoder, decoder: states(DECODER, inputs, encoder.at(-1)!), inputs };
}
