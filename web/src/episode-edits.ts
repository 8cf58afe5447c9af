// Edits of an episode's support set as they stand in a link: d3 (example 3 left out), s1-2 (two in each other's place), l4-0 (example 4 called class 0).
import type { EpisodeEdit } from "./contract";

const KINDS = { d: "drop", s: "swap", l: "label" } as const;

export function readEpisodeEdits(text: string | undefined): EpisodeEdit[] {
  return (text ?? "").split(".").flatMap((part): EpisodeEdit[] => {
    const found = /^([dsl])(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
    return found ? [{ kind: KINDS[found[1] as keyof typeof KINDS], at: Number(found[2]), other: Number(found[3] ?? 0) }] : [];
  });
}

export const writeEpisodeEdits = (edits: readonly EpisodeEdit[]): string => edits.map(({ kind, at, other }) => `${kind[0]}${at}${kind === "drop" ? "" : `-${other}`}`).join(".");

/** The edits with an example left out, or back in where it was out. */
export function toggled(edits: readonly EpisodeEdit[], at: number): EpisodeEdit[] {
  const others = edits.filter((edit) => edit.kind !== "drop" || edit.at !== at);
  return others.length < edits.length ? others : [...edits, { kind: "drop", at, other: 0 }];
}

/** The edits with an example called another class; its own class takes the edit back. */
export function labelled(edits: readonly EpisodeEdit[], at: number, label: number, truth: number): EpisodeEdit[] {
  const others = edits.filter((edit) => edit.kind !== "label" || edit.at !== at);
  return label === truth ? others : [...others, { kind: "label", at, other: label }];
}

/** The edits with two examples in each other's place; the same swap twice in a row is none. */
export function swapped(edits: readonly EpisodeEdit[], at: number, other: number): EpisodeEdit[] {
  const last = edits.at(-1);
  const back = last?.kind === "swap" && [last.at, last.other].sort().join() === [at, other].sort().join();
  return back ? edits.slice(0, -1) : [...edits, { kind: "swap", at, other }];
}
