// A view of one's own: how sharply each target word looked, as bars of the entropy of its weights.
import { css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { number } from "../format";
import { language } from "../i18n";
import { entropy, fromMatrix, rowOf } from "../matrix";
import { Piece, shared } from "../piece";
import { studio } from "../studio";

const TEXT = {
  en: { title: "Entropy of each word's weights", none: "This model has no attention." },
  ko: { title: "단어별 어텐션 가중치의 엔트로피", none: "이 모델에는 어텐션이 없습니다." },
};

@customElement("sharpness-view")
export class SharpnessView extends Piece {
  static override styles = [shared, css`
    dl { display: grid; grid-template-columns: max-content 1fr max-content; gap: 0.3rem 0.8rem; align-items: center; }
    dt, dd { margin: 0; }
    .bar { background: var(--accent); height: 0.8rem; }
  `];

  override render() {
    const alignment = studio.answer?.reading.alignment;
    if (!studio.answer) return nothing;
    const words = studio.answer.reading.target.words;
    const most = Math.log(studio.answer.reading.source.words.length + 1);
    const map = alignment ? fromMatrix(alignment.weights) : null;
    return html`<section class="card"><h2>${TEXT[language.lang].title}</h2>
      ${alignment && map ? html`<dl>${words.map((word, t) => {
        const found = entropy([...rowOf(map, t), alignment.end[t] ?? 0]);
        return html`<dt dir="auto">${word}</dt><dd><div class="bar" .style=${`width:${(100 * found) / most}%`}></div></dd>
          <dd class="num" data-testid="entropy">${number(found, 3)}</dd>`;
      })}</dl>` : html`<p>${TEXT[language.lang].none}</p>`}</section>`;
  }
}
