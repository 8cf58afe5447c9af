// Asks the studio's server. Every answer is data; errors carry a code for the page and a sentence for a person.
import type * as C from "./contract";

const BASE = "api/v1/";

export class StudioError extends Error {
  constructor(readonly code: string, message: string, readonly status: number) {
    super(message);
    this.name = "StudioError";
  }
}

async function refusal(response: Response): Promise<StudioError> {
  try {
    const body = (await response.json()) as Partial<C.ErrorAnswer>;
    if (body.error) return new StudioError(body.error.code, body.error.message, response.status);
  } catch {
    // not JSON: told by its status below
  }
  return new StudioError("unreadable", `HTTP ${response.status}`, response.status);
}

async function send(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(BASE + path, { credentials: "same-origin", ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new StudioError("unreachable", String(error), 0);
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, { signal })).json() as Promise<T>;
}

function post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = { "Content-Type": "application/json" };
  return send(path, { method: "POST", headers, body: JSON.stringify(body), signal });
}

async function ask<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await post(path, body, signal)).json() as Promise<T>;
}

const name = encodeURIComponent;

export const api = {
  runs: () => get<C.RunsAnswer>("runs"),
  metrics: (run: string, after: number) => get<C.MetricsAnswer>(`runs/${name(run)}/metrics?after=${after}`),
  translate: (body: C.TranslateRequest, signal?: AbortSignal) => ask<C.TranslateAnswer>("translate", body, signal),
  step: (body: C.StepRequest, signal?: AbortSignal) => ask<C.StepAnswer>("step", body, signal),
  whatIf: (body: C.WhatIfRequest, signal?: AbortSignal) => ask<C.WhatIfAnswer>("whatif", body, signal),
  effects: (body: C.EffectsRequest, signal?: AbortSignal) => ask<C.EffectsAnswer>("effects", body, signal),
  compare: (body: C.CompareRequest, signal?: AbortSignal) => ask<C.CompareAnswer>("compare", body, signal),
  learn: (body: C.LearnRequest, signal?: AbortSignal) => ask<C.LearnAnswer>("learn", body, signal),
  examples: (pair: string, n: number, seed: number, split = "test") =>
    get<C.ExamplesAnswer>(`examples?pair=${name(pair)}&n=${n}&split=${name(split)}&seed=${seed}`),
  chances: (body: C.ChancesRequest) => ask<C.ChancesAnswer>("chances", body),
  forcing: (body: C.ForcingRequest, signal?: AbortSignal) => ask<C.ForcingAnswer>("forcing", body, signal),
  schedule: (body: C.ScheduleRequest, signal?: AbortSignal) => ask<C.ScheduleAnswer>("schedule", body, signal),
  paths: (body: C.PathsRequest, signal?: AbortSignal) => ask<C.PathsAnswer>("paths", body, signal),
  looks: (body: C.LooksRequest, signal?: AbortSignal) => ask<C.LooksAnswer>("looks", body, signal),
  episode: (body: C.EpisodeRequest, signal?: AbortSignal) => ask<C.EpisodeAnswer>("episode", body, signal),
  draw: (body: C.DrawRequest, signal?: AbortSignal) => ask<C.DrawAnswer>("draw", body, signal),
  gaze: (body: C.GazeRequest, signal?: AbortSignal) => ask<C.GazeAnswer>("gaze", body, signal),
  lessons: () => get<C.LessonsAnswer>("lessons"),
  jobs: async () => (await get<C.JobsAnswer>("jobs")).jobs,
  job: async (id: string) => (await get<C.JobAnswer>(`jobs/${name(id)}`)).job,
  startJob: async (kind: C.JobRequest["kind"], model?: string) => {
    const body: C.JobRequest = model === undefined ? { kind } : { kind, model };
    return (await ask<C.JobAnswer>("jobs", body)).job;
  },
  cancelJob: async (id: string) => (await ask<C.JobAnswer>(`jobs/${name(id)}/cancel`, {})).job,
  kernel: (body: C.KernelRequest, signal?: AbortSignal) => ask<C.KernelAnswer>("kernel", body, signal),
  givePicture: (data: string) => ask<C.PictureAnswer>("pictures", { data }),
  scenes: (n: number, seed: number, split = "test") => get<C.ScenesAnswer>(`scenes?n=${n}&split=${name(split)}&seed=${seed}`),
  exportFile: async (body: C.ExportRequest) => (await post("export", body)).blob(),
};
