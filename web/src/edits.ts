// Edits of a what-if: kept in the link, applied by the server, previewed here.
import type { Edit, Reading } from "./contract";
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

const rounded = (value: number) => Math.round(value * 1e5) / 1e5;

/** Edits with one weight dragged, one after the other; a weight that is dragged on is one edit. Heads keep their own rest. */
export function dragged(edits: readonly Edit[], place: RowPlace, source: number, value: number): Edit[] {
  const others = edits.filter((one) => one.kind !== "teacher_forcing");
  const last = others.findLast((one) => inRow(one, place));
  const again = last?.kind === "weight" && last.source === source;
  return [...others.filter((one) => !again || one !== last), { kind: "weight", ...place, source, value: rounded(value) }];
}

export function toggledBlank(edits: readonly Edit[], word: number, how: "remove" | "mask" | "unknown"): Edit[] {
  const had = edits.some((edit) => edit.kind === "blank" && edit.word === word);
  const others = edits.filter((edit) => !(edit.kind === "blank" && edit.word === word));
  return had ? others : [...others, { kind: "blank", word, how }];
}

/** Edits with a token forced; a prefix and teacher forcing decide tokens too, so they go. */
export function forced(edits: readonly Edit[], at: number, token: number): Edit[] {
  const others = edits.filter((edit) => edit.kind !== "teacher_forcing" && edit.kind !== "prefix" && !(edit.kind === "force" && edit.at === at));
  return [...others, { kind: "force", at, token }];
}

export function withPrefix(edits: readonly Edit[], text: string): Edit[] {
  const others = edits.filter((edit) => edit.kind !== "teacher_forcing" && edit.kind !== "prefix" && edit.kind !== "force");
  return text.trim() === "" ? others : [...others, { kind: "prefix", text }];
}

/** Teacher forcing stands alone with blanked words. */
export function withTeacher(edits: readonly Edit[], reference: string | null): Edit[] {
  if (reference === null) return edits.filter((edit) => edit.kind !== "teacher_forcing");
  return [...edits.filter((edit) => edit.kind === "blank"), { kind: "teacher_forcing", reference }];
}
