// Drawn scenes described by a model that was really trained, in the studio's own view of pictures.
import { css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { LessonModel } from "../contract";
import { language } from "../i18n";
import { Piece, shared } from "../piece";
import { studio } from "../studio";
import { PAGES } from "../views/pages";
import "../components/part-loading";
import "../components/picture-bar";

const FIRST = "picturebook-test-1-2";
/** The word that is chosen at first: one that names a thing. */
const ROW = 3;

@customElement("scene-play")
export class ScenePlay extends Piece {
  static override styles = [shared, css`picture-bar { margin-bottom: 0.8rem; }`];
  /** One that writes English, one that writes Korean. */
  @property({ attribute: false }) models: LessonModel[] = [];

  private get run(): string | null {
    return this.models[language.lang === "ko" ? 1 : 0]?.run ?? null;
  }

  override willUpdate(): void {
    const { run } = this;
    const { state } = studio;
    if (run === null || (state.run === run && state.picture !== null)) return;
    const known = this.models.some((model) => model.run === state.run) && state.picture !== null;
    // after this update: the page must not change while it is drawn
    queueMicrotask(() => {
      studio.set({ run, step: null, kind: "cross", ...(known ? {} : { picture: FIRST, row: ROW, col: null, edits: [] }) });
      void studio.translate();
    });
  }

  override render() {
    const { load, draw } = PAGES.captions;
    return html`<picture-bar></picture-bar>
      ${studio.parts.get(load) ? draw() : html`<part-loading ?failed=${studio.parts.failed(load)}></part-loading>`}`;
  }
}
