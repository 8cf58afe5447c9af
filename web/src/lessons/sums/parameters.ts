// How many numbers a Transformer learns, part by part.
export interface Size { d: number; heads: number; layers: number; ff: number; words: number }
export type Kind = "embedding" | "self" | "masked" | "cross" | "norm" | "feed" | "output";

const linear = (from: number, to: number): number => from * to + to;

/** Parameters of one part: of one layer where it is in a layer, of one network's words where it is not. */
export function parametersOf(kind: Kind, { d, ff, words }: Size): number {
  if (kind === "embedding") return words * d;
  if (kind === "norm") return 2 * d;
  if (kind === "feed") return linear(d, ff) + linear(ff, d);
  if (kind === "output") return words; // a bias: the matrix is the embedding's
  return 4 * linear(d, d);
}

/** How often a part is there: embeddings and output once for each side, the rest in every layer, norms also at the end of each side. */
export function timesOf(kind: Kind, { layers }: Size): number {
  if (kind === "embedding") return 2;
  if (kind === "output") return 1;
  if (kind === "norm") return 5 * layers + 2;
  return kind === "feed" ? 2 * layers : layers;
}

export const KINDS: readonly Kind[] = ["embedding", "self", "masked", "cross", "norm", "feed", "output"];

export const allParameters = (size: Size): number => KINDS.reduce((sum, kind) => sum + parametersOf(kind, size) * timesOf(kind, size), 0);
