// The picture that all views look at: dropped, pasted, chosen from a file, or one of the drawn scenes.
import { css, html, nothing } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import { api, StudioError } from "../api";
import type { PictureShown, SceneShown } from "../contract";
import { t } from "../i18n";
import { Piece, shared } from "../piece";
import { hrefOf } from "../regions";
import { studio } from "../studio";
import "./note-list";

const KINDS = "image/png,image/jpeg,image/webp";
const SHOWN = 8;

/** A file's bytes in base64. */
async function base64(file: Blob): Promise<string> {
  const address = await new Promise<string>((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result as string);
    reader.onerror = () => failed(reader.error!);
    reader.readAsDataURL(file);
  });
  return address.slice(address.indexOf(",") + 1);
}

@customElement("picture-bar")
export class PictureBar extends Piece {
  static override styles = [shared, css`
    .drop { border: 2px dashed var(--edge); border-radius: 10px; padding: 0.6rem; display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
    .drop.over { border-color: var(--accent); background: var(--accent-soft); }
    .drop img { width: 4rem; height: 4rem; object-fit: contain; }
    .gallery { display: flex; gap: 0.4rem; overflow-x: auto; padding: 0.3rem 0.1rem; align-items: center; }
    .gallery button { flex: 0 0 auto; padding: 0.15rem; }
    .gallery img { display: block; width: 4rem; height: 4rem; border-radius: 5px; }
    @media (max-width: 36rem) { .drop span { display: none; } }
  `];
  @query("input") private input!: HTMLInputElement;
  @state() private scenes: SceneShown[] = [];
  @state() private given: PictureShown | null = null;
  @state() private error: StudioError | null = null;
  @state() private over = false;
  private seed = 1;
  private readonly pasted = (event: ClipboardEvent) => {
    const file = [...(event.clipboardData?.files ?? [])][0];
    if (file) void this.give(file);
  };

  override connectedCallback(): void {
    super.connectedCallback();
    addEventListener("paste", this.pasted);
    void this.load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener("paste", this.pasted);
  }

  private async load(): Promise<void> {
    const { seed } = this;
    try {
      const { scenes } = await api.scenes(SHOWN, seed);
      if (seed !== this.seed) return;
      this.scenes = scenes;
    } catch (error) {
      this.error = error as StudioError;
      return;
    }
    if (studio.state.picture === null && this.scenes[0]) this.look(this.scenes[0].picture.id);
  }

  private look(picture: string): void {
    studio.set({ picture, row: null, col: null, edits: [], node: null, frame: null });
    void studio.translate(true);
  }

  private async give(file: Blob): Promise<void> {
    this.error = null;
    try {
      const limit = studio.limits?.picture_bytes ?? Infinity;
      if (file.size > limit) throw new StudioError("too_large", t("picture.large", { n: Math.round(limit / 1e6) }), 413);
      const { picture } = await api.givePicture(await base64(file));
      this.given = picture;
      this.look(picture.id);
    } catch (error) {
      this.error = error instanceof StudioError ? error : new StudioError("unreadable", String(error), 0);
    }
  }

  private dropped(event: DragEvent): void {
    event.preventDefault();
    this.over = false;
    const file = event.dataTransfer?.files[0];
    if (file) void this.give(file);
  }

  private more(): void {
    this.seed += 1;
    void this.load();
  }

  override render() {
    const chosen = studio.state.picture;
    return html`<div class="drop ${this.over ? "over" : ""}" @drop=${this.dropped} @dragleave=${() => (this.over = false)}
        @dragover=${(e: DragEvent) => { e.preventDefault(); this.over = true; }}>
        ${this.given && this.given.id === chosen ? html`<img src=${hrefOf(this.given.png)} alt=${t("picture.given")} />` : nothing}
        <button type="button" class="primary" @click=${() => this.input.click()}>${t("picture.choose")}</button>
        <input type="file" accept=${KINDS} hidden @change=${() => { const file = this.input.files?.[0]; if (file) void this.give(file); this.input.value = ""; }} />
        <span class="small quiet">${t("picture.drop")}</span></div>
      <note-list .error=${this.error}></note-list>
      ${this.scenes.length > 0 ? html`<div class="gallery" role="group" aria-label=${t("subject.examples")}>
        ${this.scenes.map(({ picture, captions }) => html`<button type="button" aria-pressed=${picture.id === chosen ? "true" : "false"} data-picture=${picture.id}
          @click=${() => this.look(picture.id)}><img src=${hrefOf(picture.png)} alt=${captions[studio.run?.target_language ?? "en"] ?? captions.en ?? ""} /></button>`)}
        <button type="button" class="small" @click=${this.more}>${t("picture.more")}</button></div>` : nothing}`;
  }
}
