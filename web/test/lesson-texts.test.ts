// The lessons' texts are data that translators edit; here each file is checked as it is loaded.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Both } from "../src/contract";
import { CHAPTERS, ROWS } from "../src/lessons/chapters";
import { holes } from "./holes";

const KEYS = ["story", "play", "question", "options", "answer", "why", "labels"];
const HANGUL = /\p{Script=Hangul}/u;

/** One text in both languages and nothing else: neither is empty, and both fill in the same values. */
function expectBoth(text: Both, where: string): void {
  expect(Object.keys(text), where).toEqual(["en", "ko"]);
  expect(text.en.trim(), where).not.toBe("");
  expect(text.ko.trim(), where).not.toBe("");
  expect(text.en, where).not.toMatch(HANGUL);
  expect(text.ko, where).toBe(text.ko.normalize("NFC"));
  expect(holes(text.ko), where).toEqual(holes(text.en));
}

describe("the lessons", () => {
  it("are in one chapter each", () => {
    const listed = CHAPTERS.flatMap((chapter) => Object.keys(chapter.lessons));
    expect(new Set(listed).size).toBe(listed.length);
  });

  it("have one file of texts each, and no file is left over", () => {
    const files = readdirSync(join(import.meta.dirname, "../src/lessons/texts"));
    expect(files.sort()).toEqual(Object.keys(ROWS).map((id) => `${id}.json`).sort());
  });

  it.each(Object.entries(ROWS))("tell %s in both languages", async (_id, { title, text: load }) => {
    const text = await load();
    expect(KEYS.filter((key) => key in text)).toEqual(Object.keys(text));
    for (const paragraph of [text.play, text.question, text.why, ...text.story]) expect(paragraph.ko).toMatch(HANGUL);
    for (const one of [title, text.play, text.question, text.why, ...text.story, ...text.options]) expectBoth(one, one.en);
    for (const [key, one] of Object.entries(text.labels ?? {})) expectBoth(one, key);
    expect(text.options.length).toBe(3);
    expect(text.options[text.answer]).toBeDefined();
  });
});
