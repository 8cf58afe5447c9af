// Few-shot classification as in SNAIL: causal attention over labelled examples, and how far dilated convolutions see.
import { dot, softmax, sum } from "./vectors";

/** Examples in the order in which they come: a direction in degrees, and a label. */
export const EXAMPLES: readonly { angle: number; label: "A" | "B" }[] = [
  { angle: 40, label: "A" }, { angle: 75, label: "A" }, { angle: 20, label: "A" }, { angle: 215, label: "B" },
  { angle: 60, label: "A" }, { angle: 250, label: "B" }, { angle: 190, label: "B" }, { angle: 235, label: "B" },
];
const LENGTH = 2;

/** A direction as a vector of length 2. */
export const vector = (angle: number): number[] => [Math.cos((angle * Math.PI) / 180) * LENGTH, Math.sin((angle * Math.PI) / 180) * LENGTH];

/** softmax(mask(q kᵀ / √d)): only the first `seen` examples can be looked at, the others have a weight of exactly 0. */
export function causal(angle: number, seen: number): number[] {
  const scores = EXAMPLES.map((example, i) => (i < seen ? dot(vector(angle), vector(example.angle)) / Math.SQRT2 : -Infinity));
  return softmax(scores);
}

/** The probability of a label: the weight of the examples that have it. */
export const chance = (label: "A" | "B", weights: readonly number[]): number => sum(weights.filter((_, i) => EXAMPLES[i]!.label === label));

/** Steps that a stack of convolutions of width 2 with dilations 1, 2, 4, … sees, the present one included. */
export const seenBy = (layers: number): number => 2 ** layers;
