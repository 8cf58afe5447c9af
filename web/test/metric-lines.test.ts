import { describe, expect, it } from "vitest";
import type { MetricLine } from "../src/contract";
import { scoreCurve, seriesOf } from "../src/metric-lines";

const lines: MetricLine[] = [{ step: 0, loss: 2 }, { step: 10, valid_pointing: 0.25, valid_exact: 40 }, { step: 20, valid_pointing: Number.NaN }, { step: 30, valid_pointing: 0.974, valid_exact: 96.5 }];

describe("curves of a training", () => {
  it("have a point where the number is there and is one", () => {
    expect(seriesOf(lines, "valid_pointing")).toEqual([[10, 0.25], [30, 0.974]]);
  });
  it("share an axis of 0 to 100: a share is drawn in per cent, a percentage as it is", () => {
    const pointing = scoreCurve(lines, { name: "pointing", label: "pointing", share: true });
    expect(pointing.name).toBe("pointing (%)");
    expect(pointing.points.map(([, value]) => value)).toEqual([25, expect.closeTo(97.4)]);
    expect(scoreCurve(lines, { name: "exact", label: "exact captions (%)", share: false })).toEqual({ name: "exact captions (%)", points: [[10, 40], [30, 96.5]] });
  });
});
