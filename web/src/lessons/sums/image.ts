// A drawn picture as patches with annotation vectors, and attention of a caption's word over them.
import { argmax } from "../../matrix";
import { dot, softmax, sum, weighted } from "./vectors";

export const PATCHES = [
  "..EE...e..",
  "..EEffee..",
  "..ffffff..",
  "..fyffyf..",
  "..ffnnff..",
  "...ffff...",
  ".wwwwwwww.",
  "bbwwwwwwbb",
];
export const COLUMNS = PATCHES[0]!.length;
export type Thing = "ear" | "eyes" | "nose" | "fur" | "sweater" | "blanket" | "snow" | "hidden";
const THINGS: Record<string, Thing> = { e: "ear", y: "eyes", n: "nose", f: "fur", w: "sweater", b: "blanket", ".": "snow", E: "hidden" };
/** Annotation vectors a_i: part of a head, pointed or dark, cloth, background. What is covered says nothing. */
const FEATURES: Record<Thing, number[]> = {
  ear: [1, 1, 0, 0], eyes: [1, 0.7, 0, 0], nose: [1, 0.6, 0, 0], fur: [0.8, 0.1, 0, 0],
  sweater: [0, 0, 1, 0], blanket: [0, 0, 0.8, 0.2], snow: [0, 0, 0, 1], hidden: [0, 0, 0, 0],
};
/** What the decoder looks for when it writes a word, or guesses what is covered. */
export const QUERIES = { covered: [1, 1, 0, 0], dog: [1.2, 0.2, -0.3, 0], sweater: [0, 0, 1.4, 0], snow: [0, 0, 0, 1.4] } as const;
export type Query = keyof typeof QUERIES;

export const things: Thing[] = PATCHES.flatMap((row) => [...row].map((mark) => THINGS[mark]!));
const annotations = things.map((thing) => FEATURES[thing]);

export interface Looked { weights: number[]; chosen: number; context: number[] }

/** Soft attention over all patches; hard attention takes the one with the largest weight. */
export function look(query: Query, sharpness: number, hard: boolean): Looked {
  const weights = softmax(annotations.map((a) => sharpness * dot(a, QUERIES[query])));
  const chosen = argmax(weights);
  return { weights, chosen, context: hard ? annotations[chosen]! : weighted(weights, annotations) };
}

/** How much of the weight is on patches of a thing. */
export const shareOf = (thing: Thing, weights: readonly number[]): number => sum(weights.filter((_, i) => things[i] === thing));
