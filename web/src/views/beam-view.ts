// Beam search as a tree: scores, what was pruned, the winning path, and the attention of any node.
import { css, html, nothing, svg } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import { api, type StudioError } from "../api";
import type { Beam, TranslateAnswer } from "../contract";
import { standalone } from "../drawing/svg";
import { COLUMN, idsTo, kept, openingAt, placeTree, type PlacedNode } from "../drawing/tree";
import type { Exported } from "../exporting";
import { number, percent, probability, short } from "../format";
import type { Key } from "../i18n";
import { Latest } from "../latest";
import { Piece, shared } from "../piece";
import { pictureOf, unfinished } from "../picture";
import { studio } from "../studio";
import { taskText as t } from "../task-text";
import { aboutReading } from "../about";
import "../components/export-menu";
import "../components/heat-map";
import "../components/note-list";
import "../components/table-twin";

const STATES: Record<string, Key> = { kept: "beam.kept", pruned: "beam.pruned", finished: "beam.finished" };
const BOX = COLUMN - 28;

@customElement("beam-view")
export class BeamView extends Piece {
  static override styles = [shared, css`
    .scroll { overflow: auto; max-height: 36rem; border: 1px solid var(--line); border-radius: 8px; }
    .bar { justify-content: space-between; }
    text { font: 13px var(--sans); fill: var(--ink); unicode-bidi: plaintext; }
    text.score { font-size: 10.5px; fill: var(--quiet); }
    rect { fill: var(--field); stroke: var(--edge); stroke-width: 1; }
    path { fill: none; stroke: var(--edge); stroke-width: 1.2; }
    g.node { cursor: pointer; }
    g.pruned rect { fill: var(--page); stroke: var(--line); stroke-dasharray: 3 2; }
    g.pruned text { fill: var(--quiet); }
    path.pruned { stroke: var(--line); }
    g.winning rect { fill: var(--accent-soft); stroke: var(--accent); stroke-width: 2; }
    g.winning text { font-weight: 700; fill: var(--ink); }
    path.winning { stroke: var(--accent); stroke-width: 3.5; }
    g.chosen rect { stroke: var(--focus); stroke-width: 3; }
    g.node:focus { outline: none; }
    g.node:focus rect { stroke: var(--focus); stroke-width: 3; }
  `];
  @state() private chosen: TranslateAnswer | null = null;
  @state() private error: StudioError | null = null;
  @query("svg") private drawn!: SVGSVGElement;
  private readonly latest = new Latest();
  private opened: Beam | null = null;
  private placed: PlacedNode[] = [];

  override updated(): void {
    this.open(this.placed);
    void this.ask();
  }

  /** A tree that is new opens at its root, with the winning path in sight as far as there is room. */
  private open(nodes: readonly PlacedNode[]): void {
    const beam = studio.answer?.beam ?? null;
    const scroll = this.renderRoot.querySelector<HTMLElement>(".scroll");
    if (beam === this.opened || !scroll) return;
    this.opened = beam;
    scroll.scrollLeft = 0;
    scroll.scrollTop = openingAt(nodes, scroll.clientWidth, scroll.clientHeight);
  }

  private async ask(): Promise<void> {
    const { answer, state: page } = studio;
    if (!answer?.beam || page.node === null) {
      this.latest.forget();
      this.chosen = null;
      return;
    }
    const body = { run: answer.reading.run.id, text: page.text, step: answer.reading.run.step, target_ids: idsTo(answer.beam.nodes, page.node) };
    await this.latest.ask(body, (signal) => api.translate(body, signal), (chosen) => ([this.chosen, this.error] = [chosen, null]), (error) => (this.error = error));
  }

  override render() {
    const beam = studio.answer?.beam;
    if (!beam) return html`<section class="card"><note-list .error=${studio.error}></note-list><p class="quiet">${t("translate.empty")}</p></section>`;
    const placed = placeTree(kept(beam.nodes, beam.path, studio.state.pruned), beam.path);
    this.placed = placed.nodes;
    const columns = [t("beam.word"), t("beam.step"), t("beam.logp"), t("beam.score"), t("beam.state"), t("beam.text")];
    return html`<section class="card" aria-labelledby="tree">
        <div class="row bar"><h2 id="tree">${t("beam.title", { n: studio.state.beam })}</h2>
          <export-menu .make=${() => this.exported(beam, columns)}></export-menu></div>
        <p class="quiet">${t("beam.help")}</p>
        <p class="small" data-testid="beam-numbers">${t("beam.numbers")}</p>
        <label><input type="checkbox" .checked=${studio.state.pruned} @change=${(e: Event) => studio.set({ pruned: (e.target as HTMLInputElement).checked })} />${t("beam.showpruned")}</label>
        <div class="scroll" role="group" aria-label=${t("beam.keys")} tabindex="-1" @keydown=${(e: KeyboardEvent) => this.walk(e, placed.nodes)}>
          <svg width=${placed.width} height=${placed.height} viewBox="0 0 ${placed.width} ${placed.height}">
            ${placed.nodes.filter((n) => n.parent).map((n) => svg`<path class="${n.node.state} ${n.winning ? "winning" : ""}"
              d="M${n.parent!.x + BOX} ${n.parent!.y}C${n.parent!.x + BOX + 14} ${n.parent!.y} ${n.x - 14} ${n.y} ${n.x} ${n.y}"></path>`)}
            ${placed.nodes.map((n) => this.node(n))}
          </svg>
        </div>
        <table-twin .label=${t("beam.title", { n: studio.state.beam })} .columns=${columns} .rows=${this.rows(beam)}></table-twin>
      </section>
      <note-list .error=${this.error}></note-list>
      ${this.attention()}`;
  }

  private node({ node, x, y, winning }: PlacedNode) {
    const chosen = node.id === studio.state.node;
    const first = studio.state.node === null ? node.parent < 0 : chosen;
    const [word, score] = [short(node.text, 6), number(node.score, 2)];
    // The name begins with what is seen, so that it can be spoken to; then what the picture tells by colour.
    const name = `${word}${score}: ${node.text}, ${t(STATES[node.state]!)}, p ${percent(probability(node.token_log_prob))}, log p ${number(node.log_prob)}`;
    return svg`<g class="node ${node.state} ${winning ? "winning" : ""} ${chosen ? "chosen" : ""}" role="button" tabindex=${first ? 0 : -1}
      aria-label=${name} aria-pressed=${chosen ? "true" : "false"} data-node=${node.id} @click=${() => studio.set({ node: node.id })}>
      <rect x=${x} y=${y - 12} width=${BOX} height="24" rx="6"></rect>
      <text x=${x + 6} y=${y + 5}>${word}</text>
      <text class="score" x=${x + BOX - 5} y=${y + 4} text-anchor="end">${score}</text></g>`;
  }

  private walk(event: KeyboardEvent, nodes: PlacedNode[]): void {
    const target = (event.target as Element).closest<SVGGElement>("g.node");
    const from = nodes.find((n) => String(n.node.id) === target?.dataset.node);
    if (!from) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return studio.set({ node: from.node.id });
    }
    const next = this.neighbour(event.key, from, nodes);
    if (!next) return;
    event.preventDefault();
    this.renderRoot.querySelector<SVGGElement>(`g[data-node="${next.node.id}"]`)?.focus();
  }

  private neighbour(key: string, from: PlacedNode, nodes: PlacedNode[]): PlacedNode | null {
    if (key === "ArrowLeft") return from.parent;
    const children = nodes.filter((n) => n.parent === from);
    if (key === "ArrowRight") return children.find((n) => n.winning) ?? children[0] ?? null;
    const column = nodes.filter((n) => n.node.step === from.node.step).sort((a, b) => a.y - b.y);
    const place = column.indexOf(from);
    if (key === "ArrowDown") return column[place + 1] ?? null;
    return key === "ArrowUp" ? (column[place - 1] ?? null) : null;
  }

  private attention() {
    if (!this.chosen) return nothing;
    const { reading } = this.chosen;
    const whole = pictureOf(reading, { kind: "cross", layer: studio.state.layer, head: studio.state.head, level: "token" });
    const node = studio.answer?.beam?.nodes.find((one) => one.id === studio.state.node);
    // Only a finished hypothesis has written `</s>`.
    const picture = whole && node?.state !== "finished" ? unfinished(whole) : whole;
    return html`<section class="card" data-testid="node-attention"><h2>${t("beam.node")}</h2>
      <p dir="auto">${reading.target.text}</p>
      ${picture && picture.map.rows > 0 ? html`<heat-map .picture=${picture} .about=${aboutReading(reading)} .label=${t("map.cross")}></heat-map>`
        : html`<p class="quiet">${t(picture ? "beam.root" : "note.no_attention")}</p>`}</section>`;
  }

  private rows(beam: Beam): (string | number)[][] {
    const byId = new Map(beam.nodes.map((node) => [node.id, node]));
    return beam.nodes.map((node) => {
      const words: string[] = [];
      for (let n = byId.get(node.id); n && n.parent >= 0; n = byId.get(n.parent)) words.unshift(n.text);
      return [node.text, node.step, node.log_prob, node.score, t(STATES[node.state]!), words.join(" ")];
    });
  }

  private exported(beam: Beam, columns: string[]): Exported {
    const background = getComputedStyle(this).getPropertyValue("--card").trim();
    const nodes = beam.nodes.slice(0, 4000);
    return { title: t("beam.title", { n: studio.state.beam }), ...aboutReading(studio.reading!),
      view: { kind: "tree", nodes, path: beam.path }, columns, rows: this.rows(beam), svg: () => standalone(this.drawn, background) };
  }
}
