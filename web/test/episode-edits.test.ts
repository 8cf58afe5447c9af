import { describe, expect, it } from "vitest";
import { labelled, readEpisodeEdits, swapped, toggled, writeEpisodeEdits } from "../src/episode-edits";

describe("edits of an episode", () => {
  it("stand in a link and come back from it", () => {
    const edits = swapped(labelled(toggled([], 3), 1, 2, 0), 0, 4);
    expect(writeEpisodeEdits(edits)).toBe("d3.l1-2.s0-4");
    expect(readEpisodeEdits("d3.l1-2.s0-4")).toEqual(edits);
    expect(readEpisodeEdits(undefined)).toEqual([]);
    expect(readEpisodeEdits("x1.d.s999-1.<b>")).toEqual([]);
  });

  it("take themselves back", () => {
    expect(toggled(toggled([], 3), 3)).toEqual([]);
    expect(labelled(labelled([], 1, 2, 0), 1, 0, 0)).toEqual([]);
    expect(swapped(swapped([], 0, 4), 4, 0)).toEqual([]);
  });
});
