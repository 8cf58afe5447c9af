// Which map the linked views show: kind, layer, head, words or tokens, gold links.
import { css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { MapKind } from "../contract";
import { t, type Key } from "../i18n";
import { ALL_LAYERS, headCount, kindsOf } from "../picture";
import { Piece, shared } from "../piece";
import { studio } from "../studio";

const KIND_NAMES: Record<MapKind, Key> = { cross: "kind.cross", encoder: "kind.encoder", decoder: "kind.decoder" };

@customElement("map-controls")
export class MapControls extends Piece {
  static override styles = [shared, css`select { max-width: 14rem; }`];

  /** Only what changes a map of the steps over tokens: the layer and the head of cross-attention. */
  @property({ type: Boolean }) steps = false;

  private chosen(event: Event, name: "layer" | "head"): void {
    const value = (event.target as HTMLSelectElement).value;
    studio.set({ [name]: value === "" ? null : Number(value) });
  }

  override render() {
    const reading = studio.reading;
    if (!reading) return nothing;
    const kinds = this.steps ? [] : kindsOf(reading);
    const { layer, head, level, gold } = studio.state;
    const kind = this.steps ? "cross" : studio.kind;
    const layers = reading.attention[kind].length;
    const heads = headCount(reading, kind);
    return html`<div class="row" role="group" aria-label=${t("controls.label")}>
      ${kinds.length > 1 ? html`<label>${t("controls.kind")}
        <select name="kind" .value=${kind} @change=${(e: Event) =>
          studio.set({ kind: (e.target as HTMLSelectElement).value as MapKind, row: null, col: null })}>
          ${kinds.map((one) => html`<option value=${one} ?selected=${one === kind}>${t(KIND_NAMES[one])}</option>`)}
        </select></label>` : nothing}
      ${layers > 1 || heads > 1 ? html`<label>${t("controls.layer")}
        <select name="layer" @change=${(e: Event) => this.chosen(e, "layer")}>
          <option value="" ?selected=${layer === null}>${kind === "cross" ? t("controls.alignment") : t("controls.last")}</option>
          ${layers > 1 ? html`<option value=${ALL_LAYERS} ?selected=${layer === ALL_LAYERS}>${t("controls.alllayers")}</option>` : nothing}
          ${Array.from({ length: layers }, (_, l) => html`<option value=${l} ?selected=${l === layer}>${l + 1}</option>`)}
        </select></label>` : nothing}
      ${heads > 1 ? html`<label>${t("controls.head")}
        <select name="head" @change=${(e: Event) => this.chosen(e, "head")}>
          <option value="" ?selected=${head === null}>${t("controls.mean")}</option>
          ${Array.from({ length: heads }, (_, h) => html`<option value=${h} ?selected=${h === head}>${h + 1}</option>`)}
        </select></label>` : nothing}
      ${this.steps ? nothing : html`<label>${t("controls.level")}
        <select name="level" @change=${(e: Event) => studio.set({
          level: (e.target as HTMLSelectElement).value === "token" ? "token" : "word", row: null, col: null })}>
          <option value="word" ?selected=${level === "word"}>${t("controls.words")}</option>
          <option value="token" ?selected=${level === "token"}>${t("controls.tokens")}</option>
        </select></label>`}
      ${studio.answer?.gold?.applies && !this.steps && kind === "cross" && level === "word" ? html`<label><input type="checkbox" .checked=${gold}
        @change=${(e: Event) => studio.set({ gold: (e.target as HTMLInputElement).checked })} />${t("controls.gold")}</label>` : nothing}
    </div>`;
  }
}
