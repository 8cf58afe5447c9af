// How texts are set on the page: lines end between words only, and symbols have real subscripts.
import { html } from "lit";

const JOINER = "\u2060";
const SPACE = "\u00a0";

/** A text whose lines end between words only: a browser would part a particle from the bracket or quotation mark before it, 7 × 7 at its sign, CIFAR-10 at its hyphen, a vector of numbers between them, and a number from what it is the value of. */
export function unbroken(text: string): string {
  return text.replace(/([)\]’”>%])(?=\p{Script=Hangul})/gu, `$1${JOINER}`).replace(/ × /g, `${SPACE}×${SPACE}`).replace(/-(?=\d)/g, `-${JOINER}`)
    .replace(/[([][\d.,\s−]+[)\]]/g, (vector) => vector.replace(/ /g, SPACE))
    .replace(/(?<=\p{L}) = (?=[(\[−\d])/gu, `${SPACE}=${SPACE}`);
}

/** A text as it is read on the page: unbroken, and `W_k` with a real subscript. */
export function written(text: string) {
  const parts = unbroken(text).split(/(?<![A-Za-z])([A-Za-z]_[a-z]+)(?![A-Za-z_])/);
  return parts.map((part, i) => (i % 2 === 1 ? html`${part[0]}<sub>${part.slice(2)}</sub>` : part));
}
