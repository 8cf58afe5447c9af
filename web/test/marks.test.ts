// Marks of an alignment, and schedules that meet at one step.
import { describe, expect, it } from "vitest";
import type { Link } from "../src/contract";
import { KINDS, scheduleText, sigmoidScale } from "../src/lessons/schedules";
import { marksOf, signsOf } from "../src/marks";

describe("the marks of links", () => {
  // She is eating a green apple. → 그녀는 초록색 사과를 먹고 있어요.
  const links: Link[] = [[0, 0], [1, 4], [2, 3], [4, 1], [5, 2]];

  it("find every crossing pair once, the earlier source word first", () => {
    const crossings = marksOf(links, 6, 5).crossings.map(([a, b]) => [a[0], b[0]]);
    expect(crossings).toEqual([[1, 2], [1, 4], [1, 5], [2, 4], [2, 5]]);
    expect(marksOf([[0, 0], [1, 1], [1, 2]], 2, 3).crossings).toEqual([]);
  });

  it("find words without a link and words with several", () => {
    const marks = marksOf([[0, 0], [0, 1], [2, 1]], 4, 3);
    expect(marks.skipped).toEqual([1, 3]);
    expect(marks.added).toEqual([2]);
    expect(marks.oneToMany).toEqual([{ source: 0, targets: [0, 1] }]);
    expect(marks.manyToOne).toEqual([{ target: 1, sources: [0, 2] }]);
    expect(signsOf(marks)).toEqual([{ row: 0, col: 0, text: "1:n" }, { row: 1, col: 0, text: "1:n n:1" }, { row: 1, col: 2, text: "n:1" }]);
  });
});

describe("the schedules", () => {
  it("give the model half of the words at the chosen step", () => {
    for (const half of [100, 777, 1900]) {
      const k = sigmoidScale(half);
      expect(k / (k + Math.exp(half / k))).toBeCloseTo(0.5, 9);
      expect(Number(scheduleText("exponential", half).split(":")[1]) ** half).toBeCloseTo(0.5, 3);
      expect(scheduleText("linear", half)).toBe(`linear:1->0@${2 * half}`);
      expect(scheduleText("switch", half)).toBe(`switch:${half}`);
    }
    expect(KINDS.length).toBe(4);
  });
});
