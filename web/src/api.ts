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
    const body = (await response.json()) as { error?: { code: string; message: string } };
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
  whatIf: (
    body: { run: string; text: string; edits: C.Edit[]; beam: number; step: number | null },
    signal?: AbortSignal,
  ) => ask<C.WhatIfAnswer>("whatif", body, signal),
  effects: (body: { run: string; text: string; target_ids: number[]; how: C.BlankHow; step: number | null }) =>
    ask<C.EffectsAnswer>("effects", body),
  compare: (body: { runs: { run: string; step?: number | null }[]; text: string; target?: string; beam: number }) =>
    ask<C.CompareAnswer>("compare", body),
  learn: (body: { run: string; text: string; target?: string; steps?: number[] }) =>
    ask<C.LearnAnswer>("learn", body),
  examples: (pair: string, n: number, seed: number, split = "test") =>
    get<C.ExamplesAnswer>(`examples?pair=${name(pair)}&n=${n}&split=${name(split)}&seed=${seed}`),
  lessons: () => get<C.LessonsAnswer>("lessons"),
  jobs: async () => (await get<{ jobs: C.Job[] }>("jobs")).jobs,
  job: async (id: string) => (await get<{ job: C.Job }>(`jobs/${name(id)}`)).job,
  startJob: async (kind: "demo" | "lesson", model?: string) =>
    (await ask<{ job: C.Job }>("jobs", model === undefined ? { kind } : { kind, model })).job,
  cancelJob: async (id: string) => (await ask<{ job: C.Job }>(`jobs/${name(id)}/cancel`, {})).job,
  kernel: (body: C.KernelRequest, signal?: AbortSignal) => ask<C.KernelAnswer>("kernel", body, signal),
  exportFile: async (body: C.ExportRequest) => (await post("export", body)).blob(),
};
