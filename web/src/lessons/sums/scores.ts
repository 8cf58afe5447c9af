// Scores of one query and one key, term by term.
import { dot, sum, times, type Rows, type Vector } from "./vectors";

/** One product W_ij q_i k_j of the general score; it crosses where i and j are different dimensions. */
export interface Term { weight: number; query: number; key: number; value: number; crosses: boolean }

export function generalTerms(query: Vector, W: Rows, key: Vector): Term[][] {
  return query.map((q, i) => key.map((k, j) => ({ weight: W[i]![j]!, query: q, key: k, value: W[i]![j]! * q * k, crosses: i !== j })));
}

export const general = (query: Vector, W: Rows, key: Vector): number => sum(generalTerms(query, W, key).flat().map((term) => term.value));

/** What backpropagation passes on from a general score e = qᵀ W k: to both states, and to W. */
export interface Gradients { query: number[]; key: number[]; weights: number[][] }

export function gradients(query: Vector, W: Rows, key: Vector): Gradients {
  return {
    query: W.map((row) => dot(row, key)),
    key: key.map((_, j) => sum(query.map((q, i) => q * W[i]![j]!))),
    weights: query.map((q) => key.map((k) => q * k)),
  };
}

export const singleLayer = (w: Vector, b: number, query: Vector, key: Vector): number => dot(w, [...query, ...key]) + b;

export interface TwoLayers { inputs: number[]; hidden: number[]; active: number[]; score: number }

/** vᵀ tanh(W [q; k]), layer by layer. */
export function multiLayer(v: Vector, W: Rows, query: Vector, key: Vector): TwoLayers {
  const inputs = [...query, ...key];
  const hidden = times(W, inputs.map((value) => [value])).map(([value]) => value!);
  const active = hidden.map(Math.tanh);
  return { inputs, hidden, active, score: dot(v, active) };
}
