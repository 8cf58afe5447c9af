// A picture and its caption: which region each word looked at, and what happens when regions or words are changed.
import { css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { aboutReading } from "../about";
import { api, type StudioError } from "../api";
import type { Candidate, Edit, Reading, WhatIfAnswer } from "../contract";
import { number, percent, signed } from "../format";
import { t, type Key } from "../i18n";
import { pictureOf, type Picture } from "../picture";
import { Piece, shared } from "../piece";
import { looksAt, weightsOf } from "../regions";
import { studio } from "../studio";
import "../components/difference-line";
import "../components/map-controls";
import "../components/note-list";
import "../components/region-map";
import "../components/region-strip";
import "../components/word-chances";

const TOOLS = ["look", "erase", "blur", "weight"] as const;
type Tool = (typeof TOOLS)[number];
const HOW = { erase: "remove", blur: "unknown" } as const;
const NAMES: Record<Tool, [Key, Key]> = {
  look: ["caption.tool.look", "caption.help.look"], erase: ["caption.tool.erase", "caption.help.erase"],
  blur: ["caption.tool.blur", "caption.help.blur"], weight: ["caption.tool.weight", "caption.help.weight"],
};
const SIGNS: Record<string, string> = { remove: "✕", unknown: "≈", mask: "–" };

/** The edits with one region erased or blurred, or as it was where that was done already. */
export function turned(edits: readonly Edit[], region: number, how: "remove" | "unknown"): Edit[] {
  const others = edits.filter((edit) => edit.kind !== "blank" || edit.word !== region);
  const there = edits.some((edit) => edit.kind === "blank" && edit.word === region && edit.how === how);
  return there ? others : [...others, { kind: "blank", word: region, how }];
}

@customElement("captions-view")
export class CaptionsView extends Piece {
  static override styles = [shared, css`
    .words { font-size: 1.35rem; display: flex; flex-wrap: wrap; gap: 0.15rem 0.2rem; list-style: none; margin: 0 0 0.4rem; padding: 0; }
    .words button { font-size: inherit; font-weight: 600; padding: 0 0.35rem; border-color: transparent; background: none; position: relative; overflow: hidden; }
    .words button[aria-pressed="true"] { border-color: var(--accent); }
    .words i { position: absolute; inset-inline: 0; bottom: 0; height: 0.3rem; background: var(--gold); }
    .two { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; align-items: start; }
    .working { opacity: 0.55; }
    region-map.large { max-width: 30rem; }
    .tools, map-controls { margin-bottom: 0.5rem; }
    [data-testid="reset"] { margin: 0.5rem 0 1rem; }
    .edited { font-size: 1.15rem; font-weight: 600; }
    @media (max-width: 56rem) { .two { grid-template-columns: minmax(0, 1fr); } }
  `];
  @state() private tool: Tool = "look";
  @state() private weight = 0.9;
  @state() private changed: WhatIfAnswer | null = null;
  @state() private error: StudioError | null = null;
  private asked = "";

  protected override looked(): void {
    this.requestUpdate();
  }

  override updated(): void {
    void this.ask();
  }

  private async ask(): Promise<void> {
    const reading = studio.reading;
    const { edits, picture } = studio.state;
    const key = reading && edits.length > 0 ? JSON.stringify([reading.run, picture, edits]) : "";
    if (key === this.asked) return;
    this.asked = key;
    if (!reading || key === "") return void ([this.changed, this.error] = [null, null]);
    try {
      const answer = await api.whatIf({ run: reading.run.id, step: reading.run.step, picture, edits, beam: studio.state.beam });
      if (key === this.asked) [this.changed, this.error] = [answer, null];
    } catch (error) {
      if (key === this.asked) [this.changed, this.error] = [null, error as StudioError];
    }
  }

  /** What picking a region does. */
  private pick(region: number | null): void {
    if (region === null) return;
    const { edits } = studio.state;
    if (this.tool === "look") return studio.set({ col: studio.state.col === region ? null : region });
    if (this.tool !== "weight") return studio.set({ edits: turned(edits, region, HOW[this.tool]) });
    const at = studio.chosenStep;
    const others = edits.filter((edit) => edit.kind !== "weight" || edit.at !== at);
    studio.set({ edits: [...others, { kind: "weight", at, layer: studio.arithmeticLayer, head: null, source: region, value: this.weight }] });
  }

  private force(candidate: Candidate): void {
    const at = studio.chosenStep;
    const others = studio.state.edits.filter((edit) => edit.kind !== "force" || edit.at !== at);
    studio.set({ edits: [...others, { kind: "force", at, token: candidate.id }] });
  }

  override render() {
    const { answer, status, error } = studio;
    if (!answer || !answer.reading.picture) {
      return html`<section class="card"><note-list .error=${error}></note-list>
        <p class="quiet">${status === "working" ? t("caption.working") : t("caption.empty")}</p></section>`;
    }
    const { reading } = answer;
    const map = studio.kind === "cross" ? studio.shown() : null;
    return html`<div class=${status === "working" ? "working" : ""} aria-busy=${status === "working" ? "true" : "false"}>
      <section class="card" aria-labelledby="caption"><h2 id="caption" class="visually-hidden">${t("caption.title")}</h2>
        ${this.words(reading, map)}
        <p class="small quiet num" data-testid="facts">${this.facts()}</p>
        <note-list .notes=${reading.notes} .error=${error}></note-list></section>
      <div class="two">
        <section class="card">${this.stage(reading, map)}</section>
        <section class="card">${this.beside(reading)}</section>
      </div>
      ${map ? html`<section class="card"><map-controls></map-controls>
        <region-strip .map=${map} .read=${reading.picture} .about=${aboutReading(reading)} .label=${t("region.strip")} .row=${studio.focus.row}
          @point=${(e: CustomEvent<number | null>) => studio.hover({ row: e.detail, col: null })}
          @pick=${(e: CustomEvent<number>) => this.choose(e.detail)}></region-strip></section>` : nothing}</div>`;
  }

  private choose(row: number): void {
    studio.set({ row: studio.state.row === row ? null : row });
  }

  /** The caption; under each word a bar of its weight on the region that is pointed at. */
  private words(reading: Reading, map: Picture | null) {
    const { row, col } = studio.focus;
    const found = map && col !== null && row === null ? looksAt(map, col) : null;
    const most = Math.max(...(found ?? []), 1e-9);
    const words = map ? map.rows : reading.target.words;
    return html`<ol class="words" data-testid="caption" aria-label=${t("caption.words")}>${words.map((word, r) => html`<li><button type="button" dir="auto"
      aria-pressed=${r === row ? "true" : "false"} @click=${() => this.choose(r)} @pointerenter=${() => studio.hover({ row: r, col: null })}
      @pointerleave=${() => studio.hover({ row: null, col: null })} @focus=${() => studio.hover({ row: r, col: null })} @blur=${() => studio.hover({ row: null, col: null })}
      data-weight=${found ? found[r]!.toFixed(5) : nothing}>${word}${found ? html`<i .style=${`opacity:${Math.max(0, found[r]! / most).toFixed(3)}`}></i>` : nothing}</button></li>`)}</ol>`;
  }

  private facts(): string {
    const { reading, scene } = studio.answer!;
    const facts = [t("translate.logp", { n: number(reading.log_prob) })];
    if (scene) {
      facts.push(scene.applies ? t("translate.reference.same") : t("translate.reference", { text: scene.reference }));
      if (scene.pointing !== null) facts.push(t("caption.pointing", { n: percent(scene.pointing) }), t("caption.energy", { n: percent(scene.energy ?? 0) }));
    }
    return facts.join(" · ");
  }

  private stage(reading: Reading, map: Picture | null) {
    const { row, col } = studio.focus;
    const shown = map && row !== null && row < map.rows.length ? weightsOf(map, row, reading.picture!) : null;
    const word = shown ? map!.rows[row!]! : "";
    const signs = new Map(studio.state.edits.flatMap((edit): [number, string][] =>
      edit.kind === "blank" ? [[edit.word, SIGNS[edit.how ?? "remove"]!]] : edit.kind === "weight" && edit.at === studio.chosenStep ? [[edit.source, "●"]] : []));
    return html`<div class="row tools" role="group" aria-label=${t("caption.tools")}>${TOOLS.filter((tool) => tool !== "weight" || map).map((tool) => html`<button type="button"
        data-tool=${tool} aria-pressed=${tool === this.tool ? "true" : "false"} @click=${() => (this.tool = tool)}>${t(NAMES[tool][0])}</button>`)}
        ${this.tool === "weight" ? html`<label>${t("links.weight")} <input type="range" name="weight" min="0" max="1" step="0.05" .value=${String(this.weight)} aria-valuetext=${percent(this.weight)}
          @input=${(e: Event) => (this.weight = Number((e.target as HTMLInputElement).value))} /><span class="num">${percent(this.weight)}</span></label>` : nothing}</div>
      <p class="small quiet">${t(NAMES[this.tool][1])}</p>
      <region-map class="large" pickable data-testid="stage" .read=${reading.picture} .weights=${shown} .signs=${signs} .chosen=${col}
        .label=${shown ? t("region.of", { word }) : t("caption.picture")}
        @point=${(e: CustomEvent<number | null>) => studio.hover({ row: null, col: e.detail })} @pick=${(e: CustomEvent<number | null>) => this.pick(e.detail)}></region-map>
      ${map ? nothing : html`<p>${t("note.no_attention")}</p>`}`;
  }

  /** What could have been written, and what the changes come to. */
  private beside(reading: Reading) {
    const at = Math.min(studio.tokenStep, reading.steps.length - 1);
    const [written, token] = [reading.steps[at], reading.target.tokens[at]];
    return html`${this.whatIf()}
      ${written && token ? html`<word-chances choosable .label=${t("chances.title", { n: at + 1, word: token.text })} .top=${written.top} .written=${written} .token=${token.id}
        .end=${reading.target.tokens.at(-1)!.id} .about=${aboutReading(reading)} @choose=${(e: CustomEvent<Candidate>) => this.force(e.detail)}></word-chances>
        <p class="small quiet">${t("caption.force")}</p>` : nothing}`;
  }

  private whatIf() {
    if (studio.state.edits.length === 0) return nothing;
    const { changed } = this;
    const reset = html`<button type="button" data-testid="reset" @click=${() => studio.set({ edits: [] })}>${t("caption.reset")}</button>`;
    if (!changed) return html`<h3>${t("caption.changed")}</h3><note-list .error=${this.error}></note-list>${reset}`;
    const { edited } = changed;
    const map = pictureOf(edited, { kind: "cross", layer: studio.state.layer, head: studio.state.head, level: studio.state.level });
    const row = studio.focus.row;
    const weights = map && row !== null && row < map.rows.length ? weightsOf(map, row, edited.picture!) : null;
    return html`<div data-testid="whatif"><h3>${t("caption.changed")}</h3>
      <p class="edited" dir="auto" data-testid="edited">${edited.target.text}</p>
      <difference-line .changes=${changed.difference}></difference-line>
      <p class="small num">${t("caption.effect", { n: changed.change_of_original === null ? "–" : signed(changed.change_of_original) })}</p>
      <region-map .read=${edited.picture} .weights=${weights} .label=${t("caption.changedpicture")}></region-map>${reset}</div>`;
  }
}
