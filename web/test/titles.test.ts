import { describe, expect, it } from "vitest";
import { fits, TEXT, TITLES, viewFor, VIEWS } from "../src/views/titles";

describe("views and tasks", () => {
  it("shows the wanted view where it is for the run's task", () => {
    for (const task of TEXT) for (const view of VIEWS) if (fits(view, task)) expect(viewFor(view, task)).toBe(view);
  });
  it("shows the lessons whatever the run is", () => {
    expect(viewFor("lessons", "a task of one's own")).toBe("lessons");
  });
  it("has no view for a task of one's own, and takes a run that cannot be read for text", () => {
    expect(viewFor("translate", "a task of one's own")).toBeNull();
    expect(viewFor("steps", "")).toBe("steps");
  });
  it("shows the first view of another task instead", () => {
    for (const view of VIEWS) {
      const tasks: readonly string[] = TITLES[view].tasks ?? [];
      for (const task of tasks) if (!TEXT.includes(task)) expect(fits(viewFor("translate", task)!, task)).toBe(true);
    }
  });
});
