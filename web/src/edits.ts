// Edits of a what-if: kept in the link, applied by the server, previewed here.
import type { BlankHow, Edit, Reading, Token } from "./contract";
import { headOf, heads, meanOverHeads, rowOf, withWeight } from "./matrix";

export interface RowPlace { at: number; layer: number; head: number | null }

type RowEdit = Extract<Edit, { kind: "weight" | "weights" }>;

const isRowEdit = (edit: Edit): edit is RowEdit => edit.kind === "weight" || edit.kind === "weights";

function inRow(edit: Edit, place: RowPlace): edit is RowEdit {
  return isRowEdit(edit) && edit.at === place.at && edit.layer === place.layer && edit.head === place.head;
}

/** The weights the model itself gave at a place; null where there are none. */
export function weightsAt(reading: Reading, { at, layer, head }: RowPlace): number[] | null {
  const layers = reading.attention.cross;
  const matrix = layers.at(layer);
  if (!matrix || at >= (matrix.shape[1] ?? 0)) return null;
  const map = head !== null && head < heads(matrix) ? headOf(matrix, head) : meanOverHeads(matrix);
  return rowOf(map, at);
}

/** The same weights with the edits of that row. */
export function editedRow(base: number[], edits: readonly Edit[], place: RowPlace): number[] {
  return edits.filter((one): one is RowEdit => inRow(one, place))
    .reduce((row, edit) => (edit.kind === "weights" ? edit.values : withWeight(row, edit.source, edit.value)), base);
}

/**
 * The weights of a step after all edits, from the reading that the server made of them; null where the model had written
 * something else before that step, so that the two are not of the same step.
 */
export function weightsAfter(edited: Reading, original: Reading, place: RowPlace): number[] | null {
  const written = (reading: Reading) => reading.target.tokens.slice(0, place.at).map((token) => token.id).join(" ");
  if (written(edited) !== written(original)) return null;
  const row = weightsAt(edited, place);
  return row?.length === original.source.tokens.length ? row : null;
}

const rounded = (value: number) => Math.round(value * 1e5) / 1e5;

/** Whether an edit sets the weight that is dragged now, so that nothing of it would be left. */
function setBefore(edit: Edit, place: RowPlace, source: number): boolean {
  if (edit.kind !== "weight" || edit.at !== place.at || edit.layer !== place.layer || edit.source !== source) return false;
  return place.head === null || edit.head === place.head;
}

/**
 * Edits with one weight dragged: weights are set one after the other, each of them once. A word that was taken away comes
 * back when it is given weight. Heads keep their own rest.
 */
export function dragged(edits: readonly Edit[], place: RowPlace, source: number, value: number, tokens: readonly Token[]): Edit[] {
  const word = tokens[source]?.word ?? -1;
  const others = edits.filter((one) => !setBefore(one, place, source) && !(one.kind === "blank" && one.word === word && one.how !== "unknown"));
  return [...others, { kind: "weight", ...place, source, value: rounded(value) }];
}

/** Edits with a word taken away, or brought back; weights that were given to it go with it. */
export function toggledBlank(edits: readonly Edit[], word: number, how: BlankHow, tokens: readonly Token[]): Edit[] {
  const had = edits.some((edit) => edit.kind === "blank" && edit.word === word);
  const others = edits.filter((edit) => !(edit.kind === "blank" && edit.word === word));
  if (had) return others;
  const kept = others.filter((edit) => !(edit.kind === "weight" && tokens[edit.source]?.word === word));
  return [...kept, { kind: "blank", word, how }];
}

/** Edits without teacher forcing, and without the weights of its steps. */
function untaught(edits: readonly Edit[]): Edit[] {
  return edits.some((edit) => edit.kind === "teacher_forcing") ? withTeacher(edits, null) : [...edits];
}

/** Edits with a token forced; a prefix and teacher forcing decide tokens too, so they go. */
export function forced(edits: readonly Edit[], at: number, token: number): Edit[] {
  const others = untaught(edits).filter((edit) => edit.kind !== "prefix" && !(edit.kind === "force" && edit.at === at));
  return [...others, { kind: "force", at, token }];
}

export function withPrefix(edits: readonly Edit[], text: string): Edit[] {
  const others = untaught(edits).filter((edit) => edit.kind !== "prefix" && edit.kind !== "force");
  return text.trim() === "" ? others : [...others, { kind: "prefix", text }];
}

/** Teacher forcing gives the model every word; weights of the steps of another text mean nothing, so only blanked words stay. */
export function withTeacher(edits: readonly Edit[], reference: string | null): Edit[] {
  const blanked = edits.filter((edit) => edit.kind === "blank");
  return reference === null ? blanked : [...blanked, { kind: "teacher_forcing", reference }];
}
