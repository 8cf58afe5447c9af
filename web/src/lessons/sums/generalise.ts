// The attention layer generalised in four steps, in numbers.
import { dot, scaled, softmax, times, transposed, weighted, type Rows, type Vector } from "./vectors";

export interface OneQuery { scores: number[]; weights: number[]; output: number[] }
export interface ManyQueries { scores: number[][]; weights: number[][]; output: number[][] }

/** One query over inputs that are compared and summed as they are. */
export function oneQuery(query: Vector, inputs: Rows, scale: number): OneQuery {
  const scores = inputs.map((input) => dot(query, input) * scale);
  const weights = softmax(scores);
  return { scores, weights, output: weighted(weights, inputs) };
}

/** All queries in one matrix product, over keys and values. */
export function manyQueries(queries: Rows, keys: Rows, values: Rows, scale: number): ManyQueries {
  const scores = scaled(times(queries, transposed(keys)), scale);
  const weights = scores.map(softmax);
  return { scores, weights, output: times(weights, values) };
}
