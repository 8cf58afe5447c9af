// A formula as MathML. The server makes it from the code's own formulas; here only elements of MathML are let through.
import { css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Formula } from "../contract";
import { Piece, shared } from "../piece";

const MATHML = "http://www.w3.org/1998/Math/MathML";
const NAMES = new Set(["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "mfrac", "msqrt",
  "mroot", "mover", "munder", "munderover", "mtable", "mtr", "mtd"]);
const ATTRIBUTES = new Set(["width", "stretchy", "displaystyle", "mathvariant"]);

/** The same formula rebuilt from known elements and attributes; null where it holds anything else. */
export function cleanMath(markup: string): Element | null {
  const parsed = new DOMParser().parseFromString(markup, "application/xml");
  const root = parsed.documentElement;
  return root && root.localName === "math" ? copied(root) : null;
}

function copied(from: Element): Element | null {
  if (from.namespaceURI !== MATHML || !NAMES.has(from.localName)) return null;
  const made = document.createElementNS(MATHML, from.localName);
  for (const { name, value } of from.attributes) if (ATTRIBUTES.has(name)) made.setAttribute(name, value);
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) made.append(document.createTextNode(child.textContent ?? ""));
    if (child.nodeType !== Node.ELEMENT_NODE) continue;
    const inner = copied(child as Element);
    if (inner === null) return null;
    made.append(inner);
  }
  return made;
}

@customElement("math-formula")
export class MathFormula extends Piece {
  static override styles = [shared, css`
    :host { display: block; font-size: 1.15rem; overflow-x: auto; padding: 0.2rem 0; }
    /* Without a font made for formulas, subscripts stand almost on the line: one of those that systems have is named before the browser's own choice. */
    math { font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", "Noto Sans Math", "DejaVu Math TeX Gyre", math; }
    @media (max-width: 30rem) { :host { font-size: 0.95rem; } }
  `];
  @property({ attribute: false }) formula: Formula | null = null;

  override render() {
    if (!this.formula) return html``;
    const math = cleanMath(this.formula.mathml);
    if (math === null) return html`<code>${this.formula.plain}</code>`;
    math.setAttribute("aria-label", this.formula.plain);
    return html`${math}`;
  }
}
