// What the size of the vectors does to dot products and to the softmax over them, measured on seeded random vectors.
import { normal } from "./seeded";
import { dot, mean, softmax, sum, type Vector } from "./vectors";

export const KEYS = 16;
export const DRAWS = 200;
export const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export interface Measured { variance: number; peak: number; gradient: number; weights: number[] }
export interface Saturation { d: number; plain: Measured; scaled: Measured }

const variance = (values: Vector): number => mean(values.map((value) => value ** 2)) - mean(values) ** 2;

/** The norm of the softmax's Jacobian diag(a) − a aᵀ: what is left of a gradient that goes through it. */
export function jacobianNorm(weights: Vector): number {
  const squares = sum(weights.map((a) => a ** 2));
  return Math.sqrt(Math.max(0, squares - 2 * sum(weights.map((a) => a ** 3)) + squares ** 2));
}

function measure(scores: readonly Vector[]): Measured {
  const weights = scores.map(softmax);
  return {
    variance: variance(scores.flat()),
    peak: mean(weights.map((row) => Math.max(...row))),
    gradient: mean(weights.map(jacobianNorm)),
    weights: weights[0]!,
  };
}

const known = new Map<number, Saturation>();

/** Many queries of d standard normal numbers, each with 16 such keys: without the scale and with it. */
export function saturation(d: number): Saturation {
  const found = known.get(d);
  if (found) return found;
  const next = normal(1000 + d);
  const draw = () => Array.from({ length: d }, next);
  const scores = Array.from({ length: DRAWS }, () => {
    const query = draw();
    return Array.from({ length: KEYS }, () => dot(query, draw()));
  });
  const made = { d, plain: measure(scores), scaled: measure(scores.map((row) => row.map((score) => score / Math.sqrt(d)))) };
  known.set(d, made);
  return made;
}
