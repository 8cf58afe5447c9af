// The numbers of a training as curves.
import type { MetricLine, ScoreName } from "./contract";
import { t, type Key } from "./i18n";

export interface Curve { name: string; points: [number, number][] }

const SCORES: Record<string, Key> = {
  exact: "score.exact", pointing: "score.pointing", accuracy: "score.accuracy", attention: "score.attention", reward: "score.reward",
  distance: "score.distance", spread: "score.spread", real_score: "score.real", drawn_score: "score.drawn",
};

/** What a score is called; one that the page does not know, by its own label. */
export function scoreName({ name, label }: Pick<ScoreName, "name" | "label">): string {
  const key = SCORES[name];
  return key ? t(key) : label;
}

/** Points of one number of the metrics, where it is there. */
export function seriesOf(lines: readonly MetricLine[], key: string): [number, number][] {
  return lines.flatMap((line) => {
    const [step, value] = [line.step, line[key]];
    return typeof step === "number" && typeof value === "number" && Number.isFinite(value) ? [[step, value] as [number, number]] : [];
  });
}

/** The curve of a score on an axis of 0 to 100: what lies between 0 and 1 is drawn in per cent. */
export function scoreCurve(lines: readonly MetricLine[], score: ScoreName): Curve {
  const [points, name] = [seriesOf(lines, `valid_${score.name}`), scoreName(score)];
  return score.share ? { name: `${name} (%)`, points: points.map(([step, value]) => [step, value * 100]) } : { name, points };
}
