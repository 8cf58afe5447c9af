// What a run writes is called by its own name in both languages: only a run that translates writes translations.
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { language } from "../src/i18n";
import { en } from "../src/i18n/en";
import { ko } from "../src/i18n/ko";

const chosen = { task: "", state: { view: "whatif" } };
vi.mock("../src/studio", () => ({ studio: chosen }));
const { taskText } = await import("../src/task-text");
const keys = (Object.keys(en) as (keyof typeof en)[]).filter((key) => /^(beam|whatif|compare|map|marks|links|difference|note|translate)\./.test(key));

beforeAll(() => vi.stubGlobal("document", { documentElement: {}, title: "" }));
afterEach(() => Object.assign(chosen, { task: "", state: { view: "whatif" } }));

describe("what a run writes", () => {
  it.each([["summarisation", "요약문이 원문을 봅니다"], ["captioning", "설명문이 원문을 봅니다"]])("is no translation for %s", (task, map) => {
    chosen.task = task;
    for (const lang of ["ko", "en"] as const) {
      language.set(lang);
      for (const key of keys) expect(taskText(key), key).not.toMatch(/번역|[Tt]ranslat/);
    }
    language.set("ko");
    expect(taskText("map.cross")).toContain(map);
  });

  it("is a translation for a translator, and in lessons whatever run is chosen", () => {
    language.set("ko");
    for (const [task, view] of [["translation", "whatif"], ["", "whatif"], ["summarisation", "lessons"]]) {
      Object.assign(chosen, { task, state: { view } });
      expect(taskText("map.cross")).toContain("번역문이 원문을 봅니다");
    }
  });

  it("keeps the words of a user as they are", () => {
    chosen.task = "summarisation";
    language.set("ko");
    expect(taskText("difference.after", { words: "번역" })).toMatch(/^다른 쪽 요약문에 .*: 번역$/);
  });

  it("is preceded by what to do first", () => {
    language.set("en");
    const asked = ["translation", "summarisation", "captioning"].map((task) => {
      chosen.task = task;
      return [taskText("translate.empty"), taskText("translate.working")];
    });
    expect(asked).toEqual(["translate", "summary", "caption"].map((name) =>
      [en[`${name}.empty` as keyof typeof en], en[`${name}.working` as keyof typeof en]]));
  });

  it("has a beam without a task, for it is drawn for pictures and summaries too", () => {
    expect(en["beam.help"]).not.toMatch(/translat/);
    expect(ko["beam.help"]).not.toMatch(/번역/);
  });
});
