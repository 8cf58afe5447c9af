// The state of the page as a link: everything that decides what is shown stands in the address after `#`. Language and
// theme are the reader's own and do not.
import type { Edit, MapKind } from "./contract";
import { ALL_LAYERS, type Level } from "./picture";
import { VIEWS, type ViewName } from "./views/titles";


export interface PageState {
  view: ViewName;
  run: string | null;
  /** Weights of an earlier step; null for the best. */
  step: number | null;
  text: string;
  /** The picture that is looked at: a drawn scene, or one that was given and is kept while the studio runs. */
  picture: string | null;
  beam: number;
  kind: MapKind;
  /** A layer, all of them, or null for the one that is read as alignment (the last one of self-attention). */
  layer: number | null;
  head: number | null;
  level: Level;
  gold: boolean;
  /** Selected row and column of the map that is shown. */
  row: number | null;
  col: number | null;
  edits: Edit[];
  node: number | null;
  runs: string[];
  /** Each run's own translation instead of one that all read. */
  apart: boolean;
  /** Pruned hypotheses are drawn too. */
  pruned: boolean;
  /** The step whose weights are shown while a run learns; null for the best. */
  frame: number | null;
  lesson: string | null;
  /** Where the sliders of a lesson stand. */
  play: Readonly<Record<string, string>>;
}

export const INITIAL: PageState = {
  view: "translate", run: null, step: null, text: "", picture: null, beam: 5, kind: "cross", layer: null, head: null, level: "word",
  gold: true, row: null, col: null, edits: [], node: null, runs: [],
  apart: false, pruned: true, frame: null, lesson: null, play: {},
};

const KINDS: readonly MapKind[] = ["cross", "encoder", "decoder"];
const HOWS = ["remove", "mask", "unknown"];

function count(text: string | null, most = 1e7): number | null {
  if (text === null || !/^\d{1,8}$/.test(text)) return null;
  return Math.min(Number(text), most);
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isShare = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;
const isText = (value: unknown): value is string => typeof value === "string" && value.length <= 20000;
const isHead = (value: unknown) => value === null || isCount(value);

/** One edit of a link, or null where it is not one: a link is written by anyone. */
export function readEdit(raw: unknown): Edit | null {
  if (typeof raw !== "object" || raw === null) return null;
  const e = raw as Record<string, unknown>;
  const layered = isCount(e.at) && Number.isInteger(e.layer) && isHead(e.head);
  const { at, layer, head } = e as { at: number; layer: number; head: number | null };
  switch (e.kind) {
    case "weight":
      if (!layered || !isCount(e.source) || !isShare(e.value)) return null;
      return { kind: "weight", at, layer, head, source: e.source, value: e.value };
    case "weights":
      if (!layered || !Array.isArray(e.values) || !e.values.every(isShare)) return null;
      return { kind: "weights", at, layer, head, values: e.values };
    case "blank":
      if (!isCount(e.word) || !HOWS.includes(e.how as string)) return null;
      return { kind: "blank", word: e.word, how: e.how as "remove" };
    case "prefix":
      return isText(e.text) ? { kind: "prefix", text: e.text } : null;
    case "force":
      return isCount(e.at) && isCount(e.token) ? { kind: "force", at: e.at, token: e.token } : null;
    case "teacher_forcing":
      return isText(e.reference) ? { kind: "teacher_forcing", reference: e.reference } : null;
    default:
      return null;
  }
}

function readEdits(text: string | null): Edit[] {
  if (text === null) return [];
  try {
    const raw: unknown = JSON.parse(text);
    return Array.isArray(raw) ? raw.slice(0, 64).map(readEdit).filter((edit) => edit !== null) : [];
  } catch {
    return [];
  }
}

/** Parameters such as `p.bandwidth=0.4`: what a lesson's picture was set to. */
function readPlay(params: URLSearchParams): Record<string, string> {
  const found = [...params].filter(([name, value]) => /^p\.[a-z]{1,20}$/.test(name) && /^[\w.-]{1,80}$/.test(value));
  return Object.fromEntries(found.slice(0, 8).map(([name, value]) => [name.slice(2), value]));
}

export function readState(hash: string): PageState {
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const view = params.get("view") as ViewName;
  const kind = params.get("map") as MapKind;
  return {
    view: VIEWS.includes(view) ? view : INITIAL.view,
    run: params.get("run"),
    step: count(params.get("step")),
    text: params.get("text") ?? "",
    picture: /^[a-z0-9-]{1,80}$/.exec(params.get("picture") ?? "")?.[0] ?? null,
    beam: Math.max(1, count(params.get("beam"), 12) ?? INITIAL.beam),
    kind: KINDS.includes(kind) ? kind : INITIAL.kind,
    layer: params.get("layer") === "all" ? ALL_LAYERS : count(params.get("layer")),
    head: count(params.get("head")),
    level: params.get("level") === "token" ? "token" : "word",
    gold: params.get("gold") !== "0",
    row: count(params.get("row")),
    col: count(params.get("col")),
    edits: readEdits(params.get("edits")),
    node: count(params.get("node")),
    runs: params.getAll("with").slice(0, 8),
    apart: params.get("apart") === "1",
    pruned: params.get("pruned") !== "0",
    frame: count(params.get("frame")),
    lesson: params.get("lesson"),
    play: readPlay(params),
  };
}

export function writeState(state: PageState): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string | number | null, usual: string | number | null) => {
    if (value !== null && value !== usual) params.set(name, String(value));
  };
  put("view", state.view, INITIAL.view);
  put("run", state.run, null);
  put("step", state.step, null);
  put("text", state.text, "");
  put("picture", state.picture, null);
  put("beam", state.beam, INITIAL.beam);
  put("map", state.kind, INITIAL.kind);
  put("layer", state.layer === ALL_LAYERS ? "all" : state.layer, null);
  put("head", state.head, null);
  put("level", state.level, INITIAL.level);
  put("gold", state.gold ? 1 : 0, 1);
  put("row", state.row, null);
  put("col", state.col, null);
  if (state.edits.length > 0) params.set("edits", JSON.stringify(state.edits));
  put("node", state.node, null);
  state.runs.forEach((run) => params.append("with", run));
  put("apart", state.apart ? 1 : 0, 0);
  put("pruned", state.pruned ? 1 : 0, 1);
  put("frame", state.frame, null);
  put("lesson", state.lesson, null);
  for (const [name, value] of Object.entries(state.play)) params.set(`p.${name}`, value);
  const text = params.toString();
  return text === "" ? "" : `#${text}`;
}
