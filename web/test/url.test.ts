import { describe, expect, it } from "vitest";
import type { Edit } from "../src/contract";
import { ALL_LAYERS } from "../src/picture";
import { INITIAL, readState, writeState, type PageState } from "../src/url";

const full: PageState = {
  view: "whatif", run: "demo", step: 500, text: "나는 <b>책</b>을 읽는다 & ok #1", picture: "picturebook-test-1-5", beam: 3, kind: "decoder", layer: 1, head: 2, level: "token",
  gold: false, row: 4, col: 0, node: 17, runs: ["a", "b"], apart: true, pruned: false, frame: 0, lesson: "scores", play: { at: "1.5", profile: "boxcar" },
  edits: [{ kind: "weight", at: 1, layer: -1, head: null, source: 2, value: 0.9 }, { kind: "blank", word: 0, how: "mask" },
    { kind: "prefix", text: "나는" }, { kind: "force", at: 2, token: 52 }, { kind: "weights", at: 0, layer: 0, head: 1, values: [0.5, 0.5] },
    { kind: "teacher_forcing", reference: "…" }] as Edit[],
};

describe("a link", () => {
  it("reproduces the state of the page", () => {
    expect(readState(writeState(full))).toEqual(full);
    expect(readState(writeState(INITIAL))).toEqual(INITIAL);
    expect(writeState(INITIAL)).toBe("");
    const all = { ...full, layer: ALL_LAYERS };
    expect(readState(writeState(all))).toEqual(all);
    expect(writeState(all)).toContain("layer=all");
  });

  it("written by someone else does no harm", () => {
    const odd = "#view=javascript&map=__proto__&beam=999999&row=-3&layer=1e9&edits=" + encodeURIComponent('[{"kind":"force","at":-1,"token":"x"},7,null,{"kind":"weight"}]');
    const state = readState(odd);
    expect(state.view).toBe("translate");
    expect(state.kind).toBe("cross");
    expect(state.beam).toBe(12);
    expect(state.row).toBeNull();
    expect(state.layer).toBeNull();
    expect(state.edits).toEqual([]);
    expect(readState("#edits={{{").edits).toEqual([]);
  });
});
