// What a reader has set in a lesson's picture stands in the link: numbers, vectors and choices.
import { studio } from "../studio";
import { inRows, readNumbers, within } from "./sums/reading";

export function playedMatrix(name: string, usual: readonly (readonly number[])[]): number[][] {
  return inRows(readNumbers(studio.state.play[name], usual.flat()), usual[0]!.length);
}

export function playedNumber(name: string, least: number, most: number, usual: number): number {
  return within(studio.state.play[name], least, most, usual);
}

/** One of some choices, the first unless the link names another. */
export function playedChoice<C extends string>(name: string, choices: readonly C[]): C {
  return choices.find((one) => one === studio.state.play[name]) ?? choices[0]!;
}

export function play(name: string, value: string | number | readonly (readonly number[])[]): void {
  const told = Array.isArray(value) ? (value as number[][]).flat().join("_") : String(value);
  studio.set({ play: { ...studio.state.play, [name]: told } });
}

/** Everything as the lesson had it. */
export function playAgain(): void {
  studio.set({ play: {} });
}
