// An attention map with the marks of its links.
import { signsOf, type Marks } from "../marks";
import type { Picture } from "../picture";

const BARE = "∅";

/** The map with a sign in each cell whose link is marked, and ∅ beside each word without a link. */
export function marked(picture: Picture, marks: Marks): Picture {
  const named = (labels: string[], bare: number[]) => labels.map((label, i) => (bare.includes(i) ? `${label} ${BARE}` : label));
  return { ...picture, signs: signsOf(marks), cols: named(picture.cols, marks.skipped), rows: named(picture.rows, marks.added) };
}
