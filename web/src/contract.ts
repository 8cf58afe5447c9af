// The JSON contract of the studio, version 1, as the page reads it. See docs/studio-api.md.

export interface Matrix { shape: number[]; data: (number | null)[] }
export interface Formula { plain: string; mathml: string }
export interface Both { en: string; ko: string }
export interface Mechanism {
  name: string; score: string; scope: string; align: string;
  formulas: Partial<Record<"score" | "scope" | "align", Formula>>;
  paper: string; good_for: Both; options: Record<string, unknown>;
}
export interface Token { id: number; text: string; word: number }
export interface Side { text: string; words: string[]; tokens: Token[] }
export interface Candidate { id: number; text: string; log_prob: number | null }
export interface Written { log_prob: number | null; rank: number; entropy: number; top: Candidate[] }
export type MapKind = "cross" | "encoder" | "decoder";
export interface Maps { encoder: Matrix[]; decoder: Matrix[]; cross: Matrix[]; omitted: MapKind[] }
export type Link = [number, number];
export interface Alignment {
  weights: Matrix; links: Link[]; choice: { layer: number; heads: number[] | null; shift: boolean };
}
export interface LinkScore { aer: number; precision: number; recall: number }
export interface Gold { reference: string; links: Link[]; applies: boolean; score: LinkScore | null }
export interface BeamNode {
  id: number; parent: number; step: number; token: number; text: string;
  log_prob: number; token_log_prob: number; score: number; state: "kept" | "pruned" | "finished";
}
export interface Beam { nodes: BeamNode[]; best: number; path: number[] }
export interface RunRef { id: string; name: string; hash: string; step: number | null }
export type NoteCode = "source_cut" | "target_cut" | "maps_omitted" | "unknown_words" | "no_attention";
export interface Note { code: NoteCode; message: string; count: number | null; words: string[] }
export interface Reading {
  run: RunRef; source: Side; target: Side; score: number | null; log_prob: number;
  steps: Written[]; attention: Maps; alignment: Alignment | null; notes: Note[];
}
export interface Stack {
  kind: "rnn" | "transformer"; cell: string | null; size: number; layers: number; heads: number;
  bidirectional: boolean;
}
export interface RunInfo {
  id: string; name: string; hash: string | null; state: "ready" | "empty" | "broken"; message: string;
  live: boolean; job: string | null; preset: string; encoder: Stack | null; decoder: Stack | null;
  mechanism: Mechanism | null; source_language: string | null; target_language: string | null;
  pair: string | null; tokenizer: string; parameters: number | null;
  steps: { step: number; kind: "snapshot" | "checkpoint" }[]; step: number | null; max_steps: number | null;
}
export interface Limits {
  characters: number; words: number; target_tokens: number; beam: number; runs: number; frames: number;
  map_numbers: number;
}
export interface RunsAnswer { jumok: string; runs: RunInfo[]; limits: Limits }
export type MetricLine = Record<string, number | boolean | string | null> & { step?: number };
export interface MetricsAnswer { lines: MetricLine[]; next: number; reset: boolean; live: boolean }

export interface TranslateRequest {
  run: string; text: string; beam?: number; step?: number | null; target?: string; target_ids?: number[];
}
export interface TranslateAnswer {
  reading: Reading; gold: Gold | null; beam: Beam | null;
  alternatives: { text: string; ids: number[]; score: number; log_prob: number }[];
}

export type Edit =
  | { kind: "weight"; at: number; layer: number; head: number | null; source: number; value: number }
  | { kind: "weights"; at: number; layer: number; head: number | null; values: number[] }
  | { kind: "blank"; word: number; how: BlankHow }
  | { kind: "prefix"; text: string }
  | { kind: "force"; at: number; token: number }
  | { kind: "teacher_forcing"; reference: string };
export type BlankHow = "remove" | "mask" | "unknown";

export interface StepRequest {
  run: string; text: string; prefix: number[]; layer?: number; step?: number | null; edits?: Edit[];
}
export interface Term {
  name: string; label: string; axes: ("head" | "source" | "unit")[]; shape: number[]; shown: number[];
  data: (number | null)[];
}
export interface Stage {
  id: string; title: Both; formula: Formula; text: Both; worked: string[]; terms: Term[];
}
export interface StepAnswer {
  run: RunRef; position: number; previous: Candidate; source: Side; layer: number; layers: number; heads: number;
  mechanism: Mechanism | null; scores: Matrix | null; weights: Matrix | null; stages: Stage[]; top: Candidate[];
}
export interface Change { kind: "same" | "removed" | "added"; tokens: string[]; original_at: number; edited_at: number }
export interface WhatIfAnswer {
  original: Reading; edited: Reading; same: boolean; difference: Change[]; from_step: number;
  change_of_edited: number | null; change_of_original: number | null;
}
export interface EffectsAnswer {
  run: RunRef; source: Side; target: Side; effects: Matrix; words: Matrix; log_probs: number[]; totals: number[];
}
export interface ComparedRun {
  run: RunRef; mechanism: Mechanism | null; own: Reading; text_is_reference: boolean | null;
  common_log_prob: number; common: Alignment | null; difference: Matrix | null; score: LinkScore | null;
}
export interface CompareAnswer {
  source_words: string[]; target: string; target_words: string[]; target_from: "given" | "reference" | "first run";
  gold: Gold | null; runs: ComparedRun[];
}
export interface Frame {
  step: number | null; hash: string; log_prob: number; token_log_probs: number[]; alignment: Alignment | null;
  score: LinkScore | null; own: string;
}
export interface LearnAnswer {
  run: RunRef; source_words: string[]; target_words: string[]; target: string; gold: Gold | null; frames: Frame[];
}
export interface ExamplePair { source: string; target: string; links: Link[] }
export interface ExamplesAnswer { pair: string; pairs: string[]; examples: ExamplePair[] }
export interface Job {
  id: string; kind: "demo" | "lesson"; model: string;
  state: "waiting" | "preparing" | "training" | "done" | "failed" | "cancelled";
  progress: number; step: number; max_steps: number; loss: number | null; seconds_left: number | null;
  message: string; run: string | null;
}
/** States that a job does not leave. */
export const OVER: readonly Job["state"][] = ["done", "failed", "cancelled"];
export interface LessonModel {
  id: string; title: Both; run: string | null; state: "missing" | "training" | "ready"; job: string | null;
  seconds: number;
}
export type LessonPicture =
  | "bottleneck" | "attention" | "scores" | "softness" | "kernel" | "self" | "heads" | "transformer";
export interface Lesson { id: string; view: LessonPicture; models: string[]; sentence: string; target: string }
export interface LessonsAnswer { lessons: Lesson[]; models: LessonModel[] }
export type Profile = "gaussian" | "boxcar" | "epanechnikov" | "triangular";
export interface KernelRequest {
  x: number[]; y: number[]; bandwidth: number; profile: Profile; at: number; points: number;
}
export interface KernelAnswer {
  grid: number[]; mean: (number | null)[]; unnormalised: (number | null)[]; normalised: (number | null)[];
  scores: (number | null)[]; weights: number[]; prediction: number | null; weights_grid: Matrix;
}
export type ExportView =
  | { kind: "matrix"; rows: string[]; columns: string[]; values: (number | null)[]; gold: Link[] | null; rtl?: boolean }
  | { kind: "tree"; nodes: BeamNode[]; path: number[] }
  | { kind: "table"; columns: string[]; rows: (string | number | null)[][] };
export interface ExportRequest {
  run: string | null; step: number | null; text: string; target: string; title: string;
  format: "csv" | "json" | "tex" | "svg" | "png" | "html"; view: ExportView;
}
