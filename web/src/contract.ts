// The JSON contract of the studio, version 1, explained in docs/studio-api.md.
// Made from the OpenAPI document by `make contract`; change the models in src/jumok/studio/payload*.py instead.

/**
 * The attention over words [target, source] and the link of each target word's largest weight. `end` is the weight of
 * each target word on the source's `</s>`, which is no word: with it a row holds all of the attention, and sums to 1
 * unless the mechanism itself does not normalise.
 */
export interface Alignment {
  weights: Matrix;
  end: number[];
  links: Link[];
  choice: Choice;
}

/** The search as a tree; `best` is the winner's node and `path` the nodes that lead to it, the root first. */
export interface Beam {
  nodes: BeamNode[];
  best: number;
  path: number[];
}

/** One hypothesis the search looked at. */
export interface BeamNode {
  id: number;
  /** −1 for the root, which is `<s>` */
  parent: number;
  /** how many tokens the hypothesis has */
  step: number;
  token: number;
  text: string;
  log_prob: number;
  token_log_prob: number;
  score: number;
  state: "kept" | "pruned" | "finished";
}

/**
 * A source word taken away: `remove` leaves it out, `mask` hides it from cross attention only, `unknown` puts `<unk>`
 * in its place. A region of a picture is painted over, hidden from cross attention, or blurred.
 */
export interface BlankEdit {
  kind: "blank";
  word: number;
  how?: BlankHow;
}

export type BlankHow = "remove" | "mask" | "unknown";

/** A text in both languages of the page. */
export interface Both {
  en: string;
  ko: string;
}

/** A word that might come next. */
export interface Candidate {
  id: number;
  text: string;
  log_prob: number | null;
}

/** POST /api/v1/chances */
export interface ChancesAnswer {
  version: 1;
  sentences: number;
  runs: RunChances[];
  /** one sentence of each length, in words, shortest first */
  examples: ExamplePair[];
}

/**
 * The mean probability of the right words over test sentences of the phrasebook, for runs of one pair. Sentences with
 * a word that one of the runs does not know are left out.
 */
export interface ChancesRequest {
  runs: string[];
  sentences?: number;
}

/** The difference at one place: tokens that stayed, went or came. */
export interface Change {
  kind: "same" | "removed" | "added";
  tokens: string[];
  original_at: number;
  edited_at: number;
}

/** Which cross attention is read as word alignment; with `shift`, at the step that takes the word in. */
export interface Choice {
  layer: number;
  heads: number[] | null;
  shift: boolean;
}

/** POST /api/v1/compare */
export interface CompareAnswer {
  version: 1;
  source_words: string[];
  target: string;
  target_words: string[];
  target_from: "given" | "reference" | "first run";
  gold: Gold | null;
  runs: ComparedRun[];
  /** about the sentence and the common target; those of a run are in `own` */
  notes: Note[];
}

/**
 * One sentence or picture through several runs. Their difference maps need one target: `target`, else the reference,
 * else what the first run wrote.
 */
export interface CompareRequest {
  text?: string;
  picture?: string | null;
  runs: Compared[];
  target?: string | null;
  beam?: number;
}

/** One of the runs to compare, at an earlier step if one is named. */
export interface Compared {
  run: string;
  step?: number | null;
}

/** A run's own translation, and its reading of the common target. */
export interface ComparedRun {
  run: RunRef;
  mechanism: Mechanism | null;
  own: Reading;
  text_is_reference: boolean | null;
  common_log_prob: number;
  /** weights [common target words, source words]; null: no attention */
  common: Alignment | null;
  /** `common` minus that of the first run that has attention */
  difference: Matrix | null;
  /** of `common` against the gold links */
  score: LinkScore | null;
}

/** p = p_gen · p_vocab + (1 − p_gen) · Σα for each target token, `</s>` last, of a model that copies. */
export interface Copying {
  /** p_gen */
  generate: number[];
  /** p_vocab of the token */
  vocabulary: number[];
  /** Σα over the source words that are the token */
  attended: number[];
  /** share of the token's probability that was copied */
  copied: number[];
  /** for each source word the number of its sentence */
  sentences: number[];
}

/** POST /api/v1/draw */
export interface DrawAnswer {
  version: 1;
  run: RunRef;
  /** pixels of a side */
  side: number;
  /** what can be drawn; empty where there are no classes */
  classes: string[];
  pictures: DrawnPicture[];
}

/** Pictures from noise. */
export interface DrawRequest {
  run: string;
  step?: number | null;
  /** of the noise; picture n of a seed is always the same */
  seed?: number;
  count?: number;
  /** the class to draw; none: each in turn */
  label?: string | null;
}

/** A generated picture. */
export interface DrawnPicture {
  /** a PNG file, in base64 */
  png: string;
  label: string | null;
  /** what the discriminator gives it: high for what it takes for real */
  score: number;
}

export type Edit = WeightEdit | WeightsEdit | BlankEdit | PrefixEdit | ForceEdit | TeacherEdit;

/**
 * POST /api/v1/effects. effects[t, i] = log p(y_t | all words) − log p(y_t | without source word i): positive where
 * the word helped.
 */
export interface EffectsAnswer {
  version: 1;
  run: RunRef;
  source: Side;
  target: Side;
  /** [target tokens, source words] */
  effects: Matrix;
  /** [target words, source words]: sums over the tokens of a word */
  words: Matrix;
  /** log p(y_t | all words) */
  log_probs: number[];
  /** for each source word, summed over the target */
  totals: number[];
  notes: Note[];
}

/** The measured effect of each source word (or region) on a target: `target_ids`, `target` (text), or its own. */
export interface EffectsRequest {
  text?: string;
  picture?: string | null;
  run: string;
  target?: string | null;
  target_ids?: number[] | null;
  how?: BlankHow;
  beam?: number;
  step?: number | null;
}

/** POST /api/v1/episode */
export interface EpisodeAnswer {
  version: 1;
  run: RunRef;
  classes: string[];
  /** the support set before any edit */
  episode: ShownExample[];
  query_png: string;
  /** null for a picture that was given */
  query_label: number | null;
  before: Named;
  /** the support set with the edits */
  examples: ShownExample[];
  after: Named;
}

/**
 * A change of the support set: an example left out, two in each other's place, or one with another's class. `at`
 * counts the examples as the episode has them; `other` is an example (swap) or a class (label).
 */
export interface EpisodeEdit {
  kind: "drop" | "swap" | "label";
  at: number;
  other?: number;
}

/** An episode of classes that the run never learned; the same number is always the same episode. */
export interface EpisodeRequest {
  run: string;
  step?: number | null;
  /** which episode */
  number?: number;
  /** examples of each class; null: as trained */
  shots?: number | null;
  /** the class that the new picture is of */
  query?: number;
  /** a picture that was given to the studio, to be named instead */
  picture?: string | null;
  edits?: EpisodeEdit[];
}

/** Every answer with a status of 400 or more. */
export interface ErrorAnswer {
  version: 1;
  error: Problem;
}

/** A phrasebook sentence with its translation and gold links. */
export interface ExamplePair {
  source: string;
  target: string;
  links: Link[];
}

/** GET /api/v1/examples?pair=en-ko&n=8&split=test&seed=1 */
export interface ExamplesAnswer {
  version: 1;
  pair: string;
  pairs: string[];
  examples: ExamplePair[];
}

/** What to write, and the run and sentence it is of. A matrix can be drawn; a tree and a table cannot (422). */
export interface ExportRequest {
  /** null: no model is involved, as in kernel regression */
  run: string | null;
  step?: number | null;
  text: string;
  target?: string;
  title?: string;
  format: "svg" | "png" | "csv" | "json" | "tex" | "html";
  view: ExportView;
}

export type ExportView = MatrixView | TreeView | TableView;

/** The token at step `at` is this one; what the original wrote before it stays. */
export interface ForceEdit {
  kind: "force";
  at: number;
  token: number;
}

/** POST /api/v1/forcing: the same sentence with the right words fed in, and with the model's own. */
export interface ForcingAnswer {
  version: 1;
  run: RunRef;
  source: Side;
  target: Side;
  at: number;
  wrong: Candidate;
  forced: Heard;
  free: Heard;
}

/** A sentence whose translation goes wrong at one place: the token `wrong` is said instead of the right one. */
export interface ForcingRequest {
  run: string;
  text: string;
  target: string;
  at?: number;
  /** null: the likeliest wrong word */
  wrong?: number | null;
  step?: number | null;
}

/** One formula twice: as text, and as a `<math>` element. */
export interface Formula {
  plain: string;
  mathml: string;
}

/** The pair under the weights of one step, and what the model wrote by itself then (greedily). */
export interface Frame {
  /** null: the run's best weights */
  step: number | null;
  /** of these weights and the config */
  hash: string;
  log_prob: number;
  token_log_probs: number[];
  alignment: Alignment | null;
  score: LinkScore | null;
  own: string;
}

/** POST /api/v1/gaze */
export interface GazeAnswer {
  version: 1;
  run: RunRef;
  side: number;
  picture: DrawnPicture;
  maps: GazeMap[];
  near: NearPicture[];
}

/** Where the position that holds the pixel looks, at one attention layer. */
export interface GazeMap {
  player: "generator" | "discriminator";
  side: number;
  /** the learned factor of what the layer finds */
  gamma: number;
  /** [side, side], a distribution over the positions of the map */
  weights: Matrix;
  /** the weight outside the 3 × 3 positions that a convolution sees */
  far: number;
}

/** One generated picture, and where one of its pixels looks. */
export interface GazeRequest {
  run: string;
  step?: number | null;
  seed?: number;
  /** which picture of the seed */
  number?: number;
  label?: string | null;
  /** the pixel that looks */
  row?: number;
  column?: number;
  /** the generator's γ in times the learned one */
  strength?: number;
  /** another picture of the seed */
  towards?: number | null;
  /** how much of the way towards it has been gone */
  share?: number;
  /** training pictures that are most alike */
  nearest?: number;
}

/**
 * The reference translation of a phrasebook sentence and its gold links. Links are between source and *reference*.
 * `applies` says that the target shown is the reference, so that they can be drawn over it; `score` measures the
 * model's links when it is made to write the reference.
 */
export interface Gold {
  reference: string;
  links: Link[];
  applies: boolean;
  score: LinkScore | null;
}

/** The target as the model predicts it after certain words; one entry for each token, `</s>` last. */
export interface Heard {
  /** what was fed in before each token; `<s>` first */
  heard: string[];
  /** the likeliest token */
  said: string[];
  /** the probability of the target's token */
  right: number[];
  /** how many of the likeliest tokens are not the target's, from `at` on */
  wrong: number;
}

/** Training in the background. Jobs run one after the other. */
export interface Job {
  id: string;
  kind: "demo" | "lesson";
  model: string;
  state: "waiting" | "preparing" | "training" | "done" | "failed" | "cancelled";
  /** 0 to 1 */
  progress: number;
  step: number;
  max_steps: number;
  loss: number | null;
  seconds_left: number | null;
  message: string;
  /** id of the run, once it can be asked */
  run: string | null;
}

/** POST /api/v1/jobs, GET /api/v1/jobs/{id}, POST /api/v1/jobs/{id}/cancel */
export interface JobAnswer {
  version: 1;
  job: Job;
}

/** Train the demo, or one of the lessons' models. */
export interface JobRequest {
  kind: "demo" | "lesson";
  /** for a lesson: the id of one of its models */
  model?: string | null;
}

/** GET /api/v1/jobs */
export interface JobsAnswer {
  version: 1;
  jobs: Job[];
}

/**
 * POST /api/v1/kernel: the three estimates of 1964 over a grid, and the look of one query. An estimate is null where a
 * compact kernel sees no data.
 */
export interface KernelAnswer {
  version: 1;
  grid: number[];
  mean: (number | null)[];
  unnormalised: (number | null)[];
  normalised: (number | null)[];
  scores: (number | null)[];
  weights: number[];
  prediction: number | null;
  /** [grid, data], data in the order given */
  weights_grid: Matrix;
}

/** Data points, a kernel, and where to predict. */
export interface KernelRequest {
  x: number[];
  y: number[];
  bandwidth?: number;
  profile?: Profile;
  /** the query whose weights are shown */
  at?: number;
  /** points of the curves */
  points?: number;
}

/** POST /api/v1/learn */
export interface LearnAnswer {
  version: 1;
  run: RunRef;
  source_words: string[];
  target_words: string[];
  target: string;
  gold: Gold | null;
  frames: Frame[];
  /** null where a text was read */
  picture: PictureRead | null;
  notes: Note[];
}

/** A fixed pair at several steps of a run; without `steps` all of them (thinned out to the limit). */
export interface LearnRequest {
  text?: string;
  picture?: string | null;
  run: string;
  target?: string | null;
  steps?: number[] | null;
}

/** A lesson of the tour; its texts and its picture live in the page. */
export interface Lesson {
  id: string;
  models: string[];
  sentence: string;
  target: string;
  formulas: Record<string, Formula>;
}

/** A small model that a lesson uses; POST /api/v1/jobs trains it here, and then it takes the shipped one's place. */
export interface LessonModel {
  id: string;
  title: Both;
  run: string | null;
  state: "missing" | "training" | "ready";
  /** the run came with Jumok and was not trained here */
  shipped: boolean;
  job: string | null;
  /** about how long its training takes on two cores */
  seconds: number;
}

/** GET /api/v1/lessons */
export interface LessonsAnswer {
  version: 1;
  lessons: Lesson[];
  models: LessonModel[];
}

/** What the studio takes at most; a longer sentence, or a longer text to be summarised, is cut, with a note. */
export interface Limits {
  characters: number;
  words: number;
  article_words: number;
  target_tokens: number;
  beam: number;
  runs: number;
  frames: number;
  map_numbers: number;
  picture_bytes: number;
}

export type Link = [number, number];

/** Alignment error rate (0 is perfect), precision and recall against gold links. */
export interface LinkScore {
  aer: number;
  precision: number;
  recall: number;
}

/** One step of writing. */
export interface LookAt {
  /** one for each source token */
  weights: number[];
  /** the probability of the right token */
  right: number;
  top: Candidate[];
}

/** POST /api/v1/looks */
export interface LooksAnswer {
  version: 1;
  run: RunRef;
  source: Side;
  target: Side;
  /** [target tokens, source tokens] */
  weights: Matrix;
  /** hard attention: the probabilities that the position is drawn from */
  drawn_from: Matrix | null;
  /** local attention: its window */
  window: Window | null;
}

/** How a run looks at each step of a given target. */
export interface LooksRequest {
  run: string;
  text: string;
  target: string;
  step?: number | null;
}

export type MapKind = "cross" | "encoder" | "decoder";

/** Attention by layer, each [heads, rows, columns]; `omitted` names what would have been too large. */
export interface Maps {
  encoder: Matrix[];
  decoder: Matrix[];
  cross: Matrix[];
  omitted: MapKind[];
}

/** Numbers of any shape, the last dimension running fastest. */
export interface Matrix {
  shape: number[];
  data: (number | null)[];
}

/** A heat map: rows × columns. */
export interface MatrixView {
  kind: "matrix";
  rows: string[];
  columns: string[];
  values: (number | null)[];
  /** [column, row] to outline */
  gold?: Link[] | null;
  /** columns are drawn from right to left */
  rtl?: boolean;
}

/** A group of words: `at` is their sentences' mean length, or their place in the target from 1. */
export interface MeanPoint {
  at: number;
  /** how many words were averaged */
  count: number;
  /** mean probability of the right word */
  mean: number;
}

/** A mechanism of the catalogue with its three parts; formulas are those of the code. */
export interface Mechanism {
  name: string;
  score: string;
  scope: string;
  align: string;
  formulas: Partial<Record<"score" | "scope" | "align", Formula>>;
  paper: string;
  good_for: Both;
  options: Record<string, unknown>;
}

export type MetricLine = Record<string, number | boolean | string | null>;

/**
 * GET /api/v1/runs/{id}/metrics: lines of metrics.jsonl from `after` on; ask again with `next`. `reset` says that the
 * file is shorter than it was (a run was resumed from an earlier step): drop what you have.
 */
export interface MetricsAnswer {
  version: 1;
  lines: MetricLine[];
  next: number;
  reset: boolean;
  live: boolean;
}

/** What the model said, and where it looked. */
export interface Named {
  /** the probability of each class */
  chances: number[];
  /** [block, example]; the last column is the new picture itself */
  weights: Matrix;
  /** each block's share of weight on examples of the true class, among examples */
  right: number[];
}

/** A training picture. */
export interface NearPicture {
  png: string;
  label: string | null;
  /** from the generated picture, in grey levels per pixel */
  distance: number;
}

/** Something the reader should know, such as a sentence that was cut. */
export interface Note {
  code: NoteCode;
  message: string;
  /** how many words are left of a sentence that was cut */
  count: number | null;
  /** the words a note is about */
  words: string[];
}

export type NoteCode = "source_cut" | "target_cut" | "given_target_cut" | "maps_omitted" | "unknown_words" | "no_attention";

/** Another finished hypothesis of the beam. */
export interface Other {
  text: string;
  ids: number[];
  score: number;
  log_prob: number;
}

/** POST /api/v1/paths. Norms are ‖∂loss/∂h_i‖ for each source token, where loss = −log p(right token). */
export interface PathsAnswer {
  version: 1;
  run: RunRef;
  source: Side;
  target: Side;
  at: number;
  /** without the error */
  own: LookAt;
  /** with the error */
  wrong: LookAt;
  /** with the error, after one update */
  updated: LookAt;
  /** ∂loss/∂e_i: positive where the update lowers the score */
  scores: number[];
  through_weights: number[];
  through_values: number[];
  whole: number[];
  /** largest |∂loss/∂h − (through weights + through values)|, a rounding error */
  gap: number;
}

/** The gradient of one target token, with an error seeded in the score of the source token `wrong`. */
export interface PathsRequest {
  run: string;
  text: string;
  target: string;
  at?: number;
  wrong?: number;
  /** the weight that the error gives to that token */
  share?: number;
  rate?: number;
  step?: number | null;
}

/** POST /api/v1/pictures */
export interface PictureAnswer {
  version: 1;
  picture: PictureShown;
}

/** A picture as the model reads it, with what was erased; its regions lie in rows, from the top left. */
export interface PictureRead {
  id: string;
  /** a PNG file in base64 */
  png: string;
  width: number;
  height: number;
  rows: number;
  columns: number;
}

/** A PNG, JPEG or WebP file to look at. */
export interface PictureRequest {
  /** the file's bytes in base64 */
  data: string;
}

/** A picture as the studio keeps it, upright and without transparency. */
export interface PictureShown {
  /** names it in requests for as long as the studio runs and keeps it */
  id: string;
  width: number;
  height: number;
  /** the kept pixels as a PNG file, in base64 */
  png: string;
  /** width and height of the file that was given */
  given: number[];
}

/** How the output must begin: `tokens` as ids or `text`. */
export interface PrefixEdit {
  kind: "prefix";
  tokens?: number[] | null;
  text?: string | null;
}

/** What went wrong, in one sentence for a person and one word for a program. */
export interface Problem {
  code: string;
  message: string;
}

export type Profile = "gaussian" | "boxcar" | "epanechnikov" | "triangular";

/**
 * A source, a target, and everything the model did while writing it. For a picture `source` has a word and a token for
 * each region, and `picture` says how they lie.
 */
export interface Reading {
  run: RunRef;
  source: Side;
  /** null where a text was read */
  picture: PictureRead | null;
  target: Side;
  /** the search's score (with length penalty); null for a given target */
  score: number | null;
  log_prob: number;
  /** one for each target token, `</s>` last */
  steps: Written[];
  attention: Maps;
  alignment: Alignment | null;
  /** null for a model that does not copy, and where weights were edited */
  copying: Copying | null;
  notes: Note[];
}

/** The averages of one run. */
export interface RunChances {
  run: RunRef;
  /** over all words */
  mean: number;
  by_length: MeanPoint[];
  by_place: MeanPoint[];
}

/** A run the studio was started with. */
export interface RunInfo {
  id: string;
  name: string;
  /** what it learned, such as translation; nothing where its config cannot be read */
  task: string;
  hash: string | null;
  /** empty: no weights yet; gone: its folder was deleted or moved */
  state: "ready" | "empty" | "broken" | "gone";
  /** what is broken, or nothing */
  message: string;
  /** it is being trained now */
  live: boolean;
  /** the studio's own job that trains it */
  job: string | null;
  /** a lesson's model that came with Jumok */
  shipped: boolean;
  /** its training ended before its own end and can be resumed */
  stopped: boolean;
  preset: string;
  encoder: Stack | null;
  decoder: Stack | null;
  /** null: no attention between the two sides */
  mechanism: Mechanism | null;
  source_language: string | null;
  target_language: string | null;
  /** of the training loss; the validation loss has none */
  label_smoothing: number;
  /** what the task is validated by, beside the loss */
  scores: ScoreName[];
  /** phrasebook pair, where its text came from there */
  pair: string | null;
  tokenizer: string;
  parameters: number | null;
  steps: Saved[];
  /** the last step that was logged */
  step: number | null;
  max_steps: number | null;
}

/** Which weights of which run gave an answer; `hash` names them in exports. */
export interface RunRef {
  id: string;
  name: string;
  hash: string;
  /** null: the run's best weights */
  step: number | null;
}

/** GET /api/v1/runs */
export interface RunsAnswer {
  version: 1;
  jumok: string;
  runs: RunInfo[];
  limits: Limits;
}

/** Weights of an earlier step. */
export interface Saved {
  step: number;
  kind: "snapshot" | "checkpoint";
}

/**
 * The one caption of a drawn scene, and where the model looked when it is made to write it. `pointing` is the share of
 * words about things whose largest weight lies on the thing, `energy` the share of their weight that lies on it; null
 * for a model without attention.
 */
export interface SceneGold {
  reference: string;
  /** the target shown is the reference */
  applies: boolean;
  pointing: number | null;
  energy: number | null;
}

/** A drawn scene with its one caption in each language. */
export interface SceneShown {
  picture: PictureShown;
  captions: Record<string, string>;
}

/** GET /api/v1/scenes?n=8&split=test&seed=1 */
export interface ScenesAnswer {
  version: 1;
  scenes: SceneShown[];
}

/** POST /api/v1/schedule: the probability of feeding in the right word, as training uses it. */
export interface ScheduleAnswer {
  version: 1;
  schedule: string;
  points: [number, number][];
}

/** A schedule of `train.teacher_forcing`, such as `linear:1->0.5@2000`. */
export interface ScheduleRequest {
  schedule: string;
  steps?: number;
  points?: number;
}

/** A score of the validation, in the lines of metrics as `valid_NAME`. */
export interface ScoreName {
  name: string;
  label: string;
  /** it lies between 0 and 1; drawn in per cent beside scores of 0 to 100 */
  share: boolean;
}

/** A picture of the support set as the model reads it. */
export interface ShownExample {
  /** a PNG file in base64 */
  png: string;
  /** the class that it is said to be of */
  label: number;
  /** the class that it is of */
  truth: number;
  /** its place before any edit */
  place: number;
}

/** A sentence; tokens end in `</s>`. */
export interface Side {
  text: string;
  words: string[];
  tokens: Token[];
}

/** An encoder or decoder; `heads` and `layers` of its attention maps (0 heads: it has none of its own). */
export interface Stack {
  kind: string;
  cell: string | null;
  size: number;
  layers: number;
  heads: number;
  bidirectional: boolean;
}

/** One step of the arithmetic: formula, meaning, sums written out, and the numbers by name. */
export interface Stage {
  id: "project" | "score" | "scope" | "align" | "gaussian" | "alignment" | "context" | "decoder" | "words";
  title: Both;
  formula: Formula;
  text: Both;
  worked: string[];
  terms: Term[];
}

/** POST /api/v1/step */
export interface StepAnswer {
  version: 1;
  run: RunRef;
  position: number;
  /** the token that was taken in; its log_prob is null */
  previous: Candidate;
  source: Side;
  layer: number;
  layers: number;
  heads: number;
  mechanism: Mechanism | null;
  /** [heads, source]; null where a position may not be looked at */
  scores: Matrix | null;
  /** [heads, source] */
  weights: Matrix | null;
  stages: Stage[];
  top: Candidate[];
}

/** The step that comes after `prefix` (target ids, without `<s>`), in the given layer; `edits` as in a what-if. */
export interface StepRequest {
  text?: string;
  picture?: string | null;
  run: string;
  prefix?: number[];
  layer?: number;
  step?: number | null;
  edits?: Edit[];
}

/** Anything else, as the table that stands beside its picture. */
export interface TableView {
  kind: "table";
  columns: string[];
  rows: (string | number | null)[][];
}

/**
 * Teacher forcing: the model is given the reference's words instead of its own at every step. Source words can be
 * blanked and weights moved at the same time; words cannot be forced.
 */
export interface TeacherEdit {
  kind: "teacher_forcing";
  reference: string;
}

/**
 * A named number, vector or matrix of the code, such as `W_q q`. `axes` says what each dimension runs over. Where
 * `shown` is smaller than `shape`, the last dimension was cut.
 */
export interface Term {
  name: string;
  label: string;
  axes: ("head" | "source" | "unit")[];
  shape: number[];
  shown: number[];
  data: (number | null)[];
}

/** A token; `word` is the number of its white-space word, −1 for none. */
export interface Token {
  id: number;
  text: string;
  word: number;
}

/** POST /api/v1/translate */
export interface TranslateAnswer {
  version: 1;
  reading: Reading;
  gold: Gold | null;
  /** what is known of a drawn scene; null for others */
  scene: SceneGold | null;
  beam: Beam | null;
  alternatives: Other[];
}

/**
 * A sentence to translate or a picture to describe. With `target` (text) or `target_ids` a given target is read and
 * nothing is searched. `target_ids` may be any node of the beam tree: the ids of its path, without `<s>` and `</s>`.
 */
export interface TranslateRequest {
  text?: string;
  picture?: string | null;
  run: string;
  beam?: number;
  step?: number | null;
  target?: string | null;
  target_ids?: number[] | null;
}

/** A beam tree, as in an answer. */
export interface TreeView {
  kind: "tree";
  nodes: BeamNode[];
  path?: number[];
}

/** One weight set by hand; with `renormalise` the others keep their proportions and share the rest. */
export interface WeightEdit {
  kind: "weight";
  /** target step, from 0 */
  at: number;
  layer?: number;
  /** null: all heads of the layer */
  head?: number | null;
  /** source token */
  source: number;
  value: number;
  renormalise?: boolean;
}

/** A whole row of weights, one for each source token, used as given. */
export interface WeightsEdit {
  kind: "weights";
  at: number;
  layer?: number;
  head?: number | null;
  values: number[];
}

/**
 * POST /api/v1/whatif. All matrices keep the columns of the original source; what was removed has weight 0.
 * `change_of_edited` is log P(edited target | edited model) − log P(edited target | model as it is), and
 * `change_of_original` the same for the original target.
 */
export interface WhatIfAnswer {
  version: 1;
  original: Reading;
  edited: Reading;
  /** with teacher forcing: the reference as the model reads it without other edits */
  forced: Reading | null;
  /** the edited target is the original one */
  same: boolean;
  difference: Change[];
  /** the first step that was free to change */
  from_step: number;
  change_of_edited: number | null;
  change_of_original: number | null;
}

/** The sentence or picture decoded again with edits. What the original wrote before the first edited step stays. */
export interface WhatIfRequest {
  text?: string;
  picture?: string | null;
  run: string;
  edits: Edit[];
  beam?: number;
  step?: number | null;
}

/** A local scope: centres p_t counted from source token 0, the half-width D, and the Gaussian's σ. */
export interface Window {
  centres: number[];
  half: number;
  /** null: the window has no Gaussian */
  sigma: number | null;
  /** [target, source]; 0 outside the window */
  gaussian: Matrix | null;
}

/** One step of writing: how likely the token was, its place in the distribution, and what else was likely. */
export interface Written {
  log_prob: number | null;
  /** 0 for the likeliest word */
  rank: number;
  /** of the whole distribution, in nats */
  entropy: number;
  top: Candidate[];
}
