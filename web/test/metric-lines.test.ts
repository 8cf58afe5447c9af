import { describe, expect, it, vi } from "vitest";
import type { MetricLine } from "../src/contract";
import { language } from "../src/i18n";
import { scoreCurve, scoreName, seriesOf } from "../src/metric-lines";

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
  it("are named in the language of the page, and by their own label where the page does not know them", () => {
    vi.stubGlobal("document", { documentElement: {}, title: "" });
    language.set("ko");
    expect(scoreCurve(lines, { name: "pointing", label: "pointing", share: true }).name).toBe("해당 물체를 본 단어의 비율 (%)");
    expect(scoreName({ name: "mine", label: "my score" })).toBe("my score");
    language.set("en");
  });
});
