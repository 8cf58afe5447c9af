// Every text is there in both languages, every key is used, and no text stands in a template.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en } from "../src/i18n/en";
import { ko } from "../src/i18n/ko";
import { holes } from "./holes";

const source = join(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !/^i18n[\\/]/.test(name))
  .map((name) => ({ name, text: readFileSync(join(source, name), "utf8") }));

describe("the two languages", () => {
  it("have the same keys", () => {
    expect(Object.keys(ko).sort()).toEqual(Object.keys(en).sort());
  });

  it.each(Object.keys(en) as (keyof typeof en)[])("say %s with the same values filled in", (key) => {
    expect(holes(ko[key])).toEqual(holes(en[key]));
    expect(ko[key].trim()).not.toBe("");
    expect(ko[key]).toBe(ko[key].normalize("NFC"));
  });

  it("really are Korean and English", () => {
    const same = (Object.keys(en) as (keyof typeof en)[]).filter((key) => en[key] === ko[key]);
    expect(same).toEqual(["chances.p", "chances.logp", "beam.logp"]);
    for (const text of Object.values(en)) expect(text).not.toMatch(/\p{Script=Hangul}/u);
  });
});

describe("the components", () => {
  it("use every key", () => {
    const all = files.map((file) => file.text).join("\n");
    const built = ["theme.", "how.", "map."];
    const unused = Object.keys(en).filter((key) => !all.includes(`"${key}"`) && !built.some((start) => key.startsWith(start)));
    expect(unused).toEqual([]);
  });

  it("write no words of their own into templates", () => {
    const allowed = /^(English|한국어|주목|AER|log p|p|p_gen · p_vocab|k = |, v = |, α = |·|✓|✕)$/;
    const drawn = files.filter((file) => /^(components|views|lessons)/.test(file.name));
    const found = drawn.flatMap(({ name, text }) => [...text.matchAll(/>([^<>`${}=;()]*\p{L}{2,}[^<>`${}=;()]*)<\/[a-z]/gu)]
      .map((match) => match[1]!.trim()).filter((words) => !allowed.test(words)).map((words) => `${name}: ${words}`));
    expect(found).toEqual([]);
  });

  it("never write markup from strings", () => {
    for (const { text } of files) expect(text).not.toMatch(/innerHTML|outerHTML\s*=|insertAdjacentHTML|unsafeHTML|unsafeSVG|document\.write|\beval\(|[^.]style=["$]/);
  });
});
