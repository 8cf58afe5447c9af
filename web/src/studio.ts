// What all views share: the state of the page, the runs, and the translation they look at.
import { api, StudioError } from "./api";
import type { Job, Limits, MapKind, Reading, RunInfo, TranslateAnswer } from "./contract";
import { OVER } from "./jobs";
import { Parts } from "./parts";
import { ALL_LAYERS, pictureOf, rowOfToken, type Picture } from "./picture";
import { readState, writeState, type PageState } from "./url";
import { PICTURES, TEXT, viewFor, type ViewName } from "./views/titles";

/** Where the pointer is in the map that all linked views show: row and column, or nothing. */
export interface Look { row: number | null; col: number | null }
export type Status = "idle" | "working" | "failed";

const AGAIN = 2000;
const NOWHERE: Look = { row: null, col: null };

/** From which language into which a run translates, where that is known. */
export function languagesOf(run: RunInfo): string {
  return run.source_language ? `${run.source_language} → ${run.target_language}` : (run.target_language ?? "");
}

export class Studio extends EventTarget {
  state: PageState;
  runs: RunInfo[] = [];
  limits: Limits | null = null;
  version = "";
  runsError: StudioError | null = null;
  /** Trainings under way, asked for while there is no run to look at. */
  jobs: Job[] = [];
  answer: TranslateAnswer | null = null;
  status: Status = "idle";
  error: StudioError | null = null;
  /** What the pointer is over; not part of a link. */
  look: Look = NOWHERE;
  /** Without a server there is an answer and nothing to ask: a notebook, a saved page. */
  alone = false;
  /** The code of views and lessons, as far as it has been fetched. */
  readonly parts = new Parts(() => this.changed());
  private telling = false;
  private later = 0;
  private loading = 0;
  private asked = "";
  private asking: AbortController | null = null;
  private picture: { key: string; answer: TranslateAnswer; picture: Picture | null } | null = null;

  constructor(private readonly place: Location, private readonly past: History) {
    super();
    this.state = readState(place.hash);
  }

  start(): void {
    addEventListener("hashchange", () => {
      this.state = readState(this.place.hash);
      this.chooseRun();
      this.changed();
      void this.translate();
    });
    void this.loadRuns().then(() => this.translate());
  }

  changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  /** Changes the state and the address. A new view is a step in the browser's history; anything else is not. */
  set(patch: Partial<PageState>): void {
    const before = this.state;
    this.state = { ...before, ...patch };
    if (this.alone) return this.changed();
    const address = this.place.pathname + this.place.search + writeState(this.state);
    if (this.state.view !== before.view || this.state.lesson !== before.lesson) this.past.pushState(null, "", address);
    else this.past.replaceState(null, "", address);
    this.changed();
  }

  hover(look: Look): void {
    if (look.row === this.look.row && look.col === this.look.col) return;
    this.look = look;
    // The pointer may move more often than the screen is drawn: the views are told once a frame.
    if (this.telling) return;
    this.telling = true;
    requestAnimationFrame(() => {
      this.telling = false;
      this.dispatchEvent(new Event("look"));
    });
  }

  /** What is pointed at, or else what is selected. */
  get focus(): Look {
    return this.look.row !== null || this.look.col !== null ? this.look : { row: this.state.row, col: this.state.col };
  }

  get run(): RunInfo | null {
    return this.runs.find((run) => run.id === this.state.run) ?? null;
  }

  /** What the chosen run learned; nothing where that is not known. */
  get task(): string {
    return this.run?.task ?? "";
  }

  /** Whether the chosen run reads the sentence above the views. */
  get readsText(): boolean {
    return this.task === "" || TEXT.includes(this.task);
  }

  /** Whether the chosen run describes the picture above the views. */
  get readsPictures(): boolean {
    return PICTURES.includes(this.task);
  }

  /** What models are asked about: the sentence, or the picture; null while there is none. */
  get subject(): { text: string } | { picture: string } | null {
    const { text, picture } = this.state;
    if (this.readsPictures) return picture === null ? null : { picture };
    return this.readsText && text.trim() !== "" ? { text } : null;
  }

  /** The view that is shown: the wanted one where it is for the run's task, else another for it; null for none. */
  get view(): ViewName | null {
    return viewFor(this.state.view, this.task);
  }

  get reading(): Reading | null {
    return this.answer?.reading ?? null;
  }

  /** The kind of attention that is shown: the chosen one where the model has it. */
  get kind(): MapKind {
    const { kind } = this.state;
    return this.answer && this.answer.reading.attention[kind].length === 0 ? "cross" : kind;
  }

  async loadRuns(): Promise<void> {
    const mine = ++this.loading; // an older list that comes late is not shown
    try {
      const answer = await api.runs();
      if (mine !== this.loading) return;
      this.runs = answer.runs;
      this.limits = answer.limits;
      this.version = answer.jumok;
      this.runsError = null;
      this.chooseRun();
      this.jobs = this.run ? [] : (await api.jobs()).filter((job) => !OVER.includes(job.state));
    } catch (error) {
      if (mine !== this.loading) return;
      this.runsError = error as StudioError;
    }
    this.changed();
    this.lookAgain();
  }

  /** A link that names no run means the first one that can be asked; the lessons' models are asked by their lessons. */
  private chooseRun(): void {
    if (this.state.run !== null) return;
    const own = this.runs.filter((run) => !run.shipped);
    const first = own.find((run) => run.state === "ready") ?? own[0];
    if (first) this.state = { ...this.state, run: first.id };
  }

  /** Looks again by itself while what is shown is still to come: a first training, or one in another process. */
  private lookAgain(): void {
    clearTimeout(this.later);
    const coming = this.run === null ? this.jobs.length > 0 : this.run.state === "empty";
    if (coming) this.later = window.setTimeout(() => void this.loadRuns().then(() => this.translate()), AGAIN);
  }

  /** Translates what the state names, unless that is what is shown already. */
  async translate(again = false): Promise<void> {
    const { subject, state: { run, beam, step } } = this;
    const key = JSON.stringify([run, subject, beam, step]);
    if (key === this.asked && !again) return;
    if (run === null || subject === null || this.run?.state !== "ready") {
      this.forget();
      return;
    }
    this.asked = key;
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    this.status = "working";
    this.error = null;
    this.changed();
    try {
      const answer = await api.translate({ run, ...subject, beam, step }, asking.signal);
      this.show(answer);
    } catch (error) {
      if (asking.signal.aborted) return;
      this.status = "failed";
      this.error = error as StudioError;
      this.answer = null;
      this.asked = "";
      if (this.error.code === "gone") void this.loadRuns();
    }
    this.changed();
  }

  /** What is still on its way belongs to an earlier choice: it is not waited for. */
  private forget(): void {
    this.asking?.abort();
    this.asked = "";
    if (this.status !== "working") return;
    this.status = "idle";
    this.changed();
  }

  /** Shows an answer that is here already; the address stays as it is. */
  present(answer: TranslateAnswer): void {
    this.alone = true;
    this.show(answer);
    this.changed();
  }

  private show(answer: TranslateAnswer): void {
    this.answer = answer;
    this.status = "idle";
    this.look = NOWHERE;
    const shown = this.shown();
    if (shown === null) return;
    const keep = (place: number | null, size: number) => (place !== null && place < size ? place : null);
    const row = keep(this.state.row, shown.map.rows);
    const col = keep(this.state.col, shown.map.cols);
    if (row !== this.state.row || col !== this.state.col) this.set({ row, col });
  }

  /** The picture that the linked views show; made once for each choice. */
  shown(): Picture | null {
    if (!this.answer) return null;
    const { layer, head, level, gold } = this.state;
    const choice = { kind: this.kind, layer, head, level };
    const key = JSON.stringify([choice, gold]);
    if (this.picture?.key !== key || this.picture.answer !== this.answer) {
      const picture = pictureOf(this.answer.reading, choice, gold ? this.answer.gold : null);
      this.picture = { key, answer: this.answer, picture };
    }
    return this.picture.picture;
  }

  /** The target token whose step is looked at: that of the row in focus, the first one otherwise. */
  get tokenStep(): number {
    return this.tokenOf(this.focus.row);
  }

  /** The target token whose step is selected, wherever the pointer is. */
  get chosenStep(): number {
    return this.tokenOf(this.state.row);
  }

  /** The first target token of a row; rows of encoder self-attention are source words and mean no step. */
  private tokenOf(row: number | null): number {
    if (row === null || this.kind === "encoder") return 0;
    const picture = this.shown();
    return picture ? (picture.rowTokens[row]?.[0] ?? 0) : row;
  }

  /** The layer whose arithmetic and weights are shown one by one: the chosen one, or else the one read as alignment. */
  get arithmeticLayer(): number {
    const { layer } = this.state;
    if (layer !== null && layer !== ALL_LAYERS && this.kind === "cross") return layer;
    return this.reading?.alignment?.choice.layer ?? -1;
  }

  /** Selects the row that shows a target token. */
  selectStep(token: number): void {
    if (this.kind === "encoder") this.set({ kind: "cross", layer: null, head: null, row: null, col: null });
    const picture = this.shown();
    if (!picture) return this.set({ row: token, col: null });
    const row = rowOfToken(picture, token);
    // `</s>` is no word, and a word's later tokens have no row of their own: show tokens so that the step can be seen.
    if (row < 0 || picture.rowTokens[row]![0] !== token) return this.set({ level: "token", row: token, col: null });
    this.set({ row, col: null });
  }
}

export const studio = new Studio(globalThis.location, globalThis.history);
