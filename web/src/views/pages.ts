// What each view of the page draws, and where its code is, which is fetched when the view is first opened.
import { html, type TemplateResult } from "lit";
import type { Load } from "../parts";
import type { ViewName } from "./titles";

export const PAGES: Record<ViewName, { load: Load; draw: () => TemplateResult }> = {
  translate: { load: () => import("./translate-view"), draw: () => html`<translate-view></translate-view>` },
  captions: { load: () => import("./captions-view"), draw: () => html`<captions-view></captions-view>` },
  steps: { load: () => import("./steps-view"), draw: () => html`<steps-view></steps-view>` },
  whatif: { load: () => import("./whatif-view"), draw: () => html`<whatif-view></whatif-view>` },
  beam: { load: () => import("./beam-view"), draw: () => html`<beam-view></beam-view>` },
  compare: { load: () => import("./compare-view"), draw: () => html`<compare-view></compare-view>` },
  learn: { load: () => import("./learn-view"), draw: () => html`<learn-view></learn-view>` },
  episode: { load: () => import("./episode-view"), draw: () => html`<episode-view></episode-view>` },
  draw: { load: () => import("./draw-view"), draw: () => html`<draw-view></draw-view>` },
  lessons: { load: () => import("./lessons-view"), draw: () => html`<lessons-view></lessons-view>` },
};
