// The pointer's mixture and the coverage loss with small numbers (See et al. 2017).

/** A report; Corbadin and Velton are in no vocabulary. */
export const REPORT = ["Mayor", "Corbadin", "opened", "a", "library", "in", "Velton"];
const NAMES = ["Corbadin", "Velton"];
/** α: where the decoder looks while it writes who opened the library. */
export const LOOKS = [0.1, 0.7, 0.02, 0.02, 0.1, 0.01, 0.05];
/** p_vocab: what it would generate at that place. */
export const GENERATED: Record<string, number> = { "<unk>": 0.5, library: 0.3, opens: 0.15, in: 0.05 };

export interface Mixed { word: string; generated: number; copied: number; total: number; known: boolean }

/** p(w) = p_gen · p_vocab(w) + (1 − p_gen) · Σ_i α_i [x_i = w] for every word that either part can write. */
export function mixture(generate: number): Mixed[] {
  const words = [...new Set([...Object.keys(GENERATED), ...REPORT])];
  return words.map((word) => {
    const generated = generate * (GENERATED[word] ?? 0);
    const copied = (1 - generate) * REPORT.reduce((sum, read, i) => sum + (read === word ? LOOKS[i]! : 0), 0);
    return { word, generated, copied, total: generated + copied, known: !NAMES.includes(word) };
  }).sort((a, b) => b.total - a.total);
}

/** Attention of four written words over the report; in the second, the third word looks where the first did. */
export const PATHS = {
  new: [[0, 0.9, 0, 0, 0.1, 0, 0], [0, 0.1, 0.8, 0, 0.1, 0, 0], [0, 0, 0, 0, 0.9, 0, 0.1], [0, 0, 0, 0, 0.1, 0.1, 0.8]],
  again: [[0, 0.9, 0, 0, 0.1, 0, 0], [0, 0.1, 0.8, 0, 0.1, 0, 0], [0, 0.9, 0, 0, 0.1, 0, 0], [0, 0.1, 0.8, 0, 0.1, 0, 0]],
} satisfies Record<string, number[][]>;
export const WRITTEN = {
  new: ["Corbadin", "opens", "library", "Velton"],
  again: ["Corbadin", "opens", "Corbadin", "opens"],
} as const;
export type Path = keyof typeof PATHS;

export interface Covered { word: string; before: number[]; weights: number[]; loss: number }

/** For each written word cov_t = Σ_{t' < t} α_t' and its loss Σ_i min(α_ti, cov_ti). */
export function coverage(path: Path): Covered[] {
  const sum = REPORT.map(() => 0);
  return PATHS[path].map((weights, t) => {
    const before = [...sum];
    weights.forEach((weight, i) => { sum[i]! += weight; });
    return { word: WRITTEN[path][t]!, before, weights, loss: weights.reduce((loss, weight, i) => loss + Math.min(weight, before[i]!), 0) };
  });
}
