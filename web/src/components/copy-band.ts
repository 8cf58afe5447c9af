// How a summary was made: p_gen as a band under each written word, copied words marked, the coverage of the text so far.
import { css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Copying, Reading } from "../contract";
import { number, percent } from "../format";
import { t } from "../i18n";
import { Piece, shared } from "../piece";

/** A sentence that got less than this share of the attention was skipped. */
const SKIPPED = 0.02;

@customElement("copy-band")
export class CopyBand extends Piece {
  static override styles = [shared, css`
    .words { display: flex; flex-wrap: wrap; gap: 0.35rem; font-size: 1.1rem; margin: 0.3rem 0 0.6rem; }
    .words button { font: inherit; border: 1px solid var(--line); border-radius: 6px; background: none; color: inherit; padding: 0.1rem 0.4rem 0.3rem; cursor: pointer; }
    .words button[aria-pressed="true"] { outline: 2px solid var(--accent); }
    .copied { text-decoration: underline; text-decoration-thickness: 2px; text-decoration-color: var(--accent); }
    .band { display: block; height: 0.35rem; background: var(--line); border-radius: 2px; margin-top: 0.15rem; }
    .band i { display: block; height: 100%; background: var(--bar); border-radius: 2px; }
    .text { line-height: 1.9; max-width: none; }
    .skipped { opacity: 0.55; }
    .text span span { padding: 0 0.1rem; border-radius: 3px; }
    .sum { font-variant-numeric: tabular-nums; }
  `];
  @property({ attribute: false }) reading: Reading | null = null;
  /** The word whose sum is shown; coverage is that of the words up to it. */
  @state() private chosen: number | null = null;

  override render() {
    const { reading } = this;
    if (!reading?.copying || !reading.alignment) return nothing;
    const count = reading.target.words.length;
    const word = Math.min(this.chosen ?? count - 1, count - 1);
    return html`<h3>${t("copying.title")}</h3>
      <div class="words" dir="auto" role="group" aria-label=${t("copying.title")}>${reading.target.words.map((text, i) => this.written(text, i, i === word))}</div>
      ${word < 0 ? nothing : this.sum(reading, reading.copying, word)}
      <h3>${t("copying.coverage")}</h3>${this.source(reading, reading.copying, word)}
      <p class="small quiet">${t("copying.legend")}</p>`;
  }

  /** The first token of a word: names that are copied are one token, and pieces follow their first. */
  private token(word: number): number {
    return this.reading!.target.tokens.findIndex((token) => token.word === word);
  }

  private written(text: string, word: number, pressed: boolean) {
    const copying = this.reading!.copying!, place = this.token(word);
    const generate = copying.generate[place] ?? 1, copied = (copying.copied[place] ?? 0) > 0.5;
    return html`<button type="button" aria-pressed=${pressed} data-word=${word} data-copied=${copied} title=${`p_gen = ${number(generate)}`}
      @click=${() => (this.chosen = word)}><span class=${copied ? "copied" : ""}>${text}</span>${copied ? html`<span class="visually-hidden"> (${t("copying.copied")})</span>` : nothing}
      <span class="band"><i .style=${`width:${Math.round(100 * generate)}%`}></i></span></button>`;
  }

  /** p = p_gen · p_vocab + (1 − p_gen) · Σα with the numbers of the chosen word. */
  private sum(reading: Reading, copying: Copying, word: number) {
    const place = this.token(word);
    const [g, p, a] = [copying.generate[place]!, copying.vocabulary[place]!, copying.attended[place]!];
    return html`<p class="sum" data-testid="mixture">p(${reading.target.words[word]}) = p_gen · p_vocab + (1 − p_gen) · Σα
      = ${number(g)} · ${number(p)} + ${number(1 - g)} · ${number(a)} = <b>${number(g * p + (1 - g) * a)}</b></p>`;
  }

  /** The text, each word as dark as it was looked at so far; sentences that were skipped in grey. */
  private source(reading: Reading, copying: Copying, word: number) {
    const { data, shape } = reading.alignment!.weights, width = shape[1]!;
    const covered = reading.source.words.map((_, i) => Array.from({ length: word + 1 }, (_, t) => data[t * width + i] ?? 0).reduce((a, b) => a + b, 0));
    const total = covered.reduce((a, b) => a + b, 0) || 1;
    const sentences = [...new Set(copying.sentences)];
    return html`<p class="text" dir="auto" data-testid="coverage">${sentences.map((number) => {
      const places = reading.source.words.map((_, i) => i).filter((i) => copying.sentences[i] === number);
      const share = places.reduce((sum, i) => sum + covered[i]!, 0) / total;
      return html`<span class=${share < SKIPPED ? "skipped" : ""} data-sentence=${number} title=${percent(share)}>${places.map((i) => html`<span
        .style=${`background: color-mix(in srgb, var(--bar) ${Math.round(70 * Math.min(1, covered[i]!))}%, transparent)`}>${reading.source.words[i]}</span> `)}</span>`;
    })}</p>`;
  }
}
