// A view names what the chosen run does: a picture is not a sentence that is typed and translated.
import { expect, it, vi } from "vitest";

const studio = vi.hoisted(() => ({ task: "translation" }));
vi.mock("../src/studio", () => ({ studio }));

import { en } from "../src/i18n/en";
import { ko } from "../src/i18n/ko";
import { taskText } from "../src/task-text";

it("asks for what the task reads", () => {
  const asked = ["translation", "summarisation", "captioning"].map((task) => {
    studio.task = task;
    return [taskText("translate.empty"), taskText("translate.working")];
  });
  expect(asked).toEqual(["translate", "summary", "caption"].map((name) =>
    [en[`${name}.empty` as keyof typeof en], en[`${name}.working` as keyof typeof en]]));
});

it("speaks of the beam without a task, for it is drawn for pictures and summaries too", () => {
  expect(en["beam.help"]).not.toMatch(/translat/);
  expect(ko["beam.help"]).not.toMatch(/번역/);
});
