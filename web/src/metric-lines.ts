// The numbers of a training as curves.
import type { MetricLine, ScoreName } from "./contract";

export interface Curve { name: string; points: [number, number][] }

/** Points of one number of the metrics, where it is there. */
export function seriesOf(lines: readonly MetricLine[], key: string): [number, number][] {
  return lines.flatMap((line) => {
    const [step, value] = [line.step, line[key]];
    return typeof step === "number" && typeof value === "number" && Number.isFinite(value) ? [[step, value] as [number, number]] : [];
  });
}

/** The curve of a score on an axis of 0 to 100: what lies between 0 and 1 is drawn in per cent. */
export function scoreCurve(lines: readonly MetricLine[], { name, label, share }: ScoreName): Curve {
  const points = seriesOf(lines, `valid_${name}`);
  return share ? { name: `${label} (%)`, points: points.map(([step, value]) => [step, value * 100]) } : { name: label, points };
}
