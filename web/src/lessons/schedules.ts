// Schedules of teacher forcing as a training is told them, chosen so that at one step half of the words are the model's own.
export const KINDS = ["linear", "exponential", "inverse_sigmoid", "switch"] as const;
export type Kind = (typeof KINDS)[number];

/** k with k / (k + e^(x/k)) = 1/2, that is x = k ln k: found by halving, because x grows with k from k = 1 on. */
export function sigmoidScale(x: number): number {
  let [low, high] = [1, Math.max(2, x)];
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (middle * Math.log(middle) < x) low = middle;
    else high = middle;
  }
  return high;
}

/** The setting `train.teacher_forcing` of a kind of schedule whose probability is 1/2 at a step. */
export function scheduleText(kind: Kind, half: number): string {
  switch (kind) {
    case "linear": return `linear:1->0@${2 * half}`;
    case "exponential": return `exponential:${(0.5 ** (1 / half)).toFixed(7)}`;
    case "inverse_sigmoid": return `inverse_sigmoid:${sigmoidScale(half).toFixed(2)}`;
    case "switch": return `switch:${half}`;
  }
}
