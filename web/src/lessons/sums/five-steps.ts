// Attention in the steps of the worked example: scores, softmax, alignment vectors, context vector.
import { dot, softmax, sum, transposed, type Rows, type Vector } from "./vectors";

export interface FiveSteps { scores: number[]; weights: number[]; alignment: number[][]; context: number[] }

export function fiveSteps(decoder: Vector, encoder: Rows): FiveSteps {
  const scores = encoder.map((state) => dot(decoder, state));
  const weights = softmax(scores);
  const alignment = encoder.map((state, i) => state.map((value) => value * weights[i]!));
  return { scores, weights, alignment, context: transposed(alignment).map(sum) };
}
