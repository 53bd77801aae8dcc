// Manifest of one sound, checked on arrival, and the addresses of its peaks, tiles and slices.
import { Problem, requestJson, Unreachable } from "../lib/http.ts";
import type { Slice } from "../player/schedule.ts";

/** From `start` up to but without `stop`, in whole samples of the recording. */
export interface Range {
  readonly start: number;
  readonly stop: number;
}

/** A part of the recording that ran on one clock: its first sample sounded at `clock_s` seconds after midnight. */
export interface Stretch extends Range {
  readonly clock_s: number;
}

export interface PeaksShape {
  bin_samples: number;
  factor: number;
  levels: number;
}

export type Statistic = "max" | "mean";

export interface SpectrogramShape {
  window: string;
  window_samples: number;
  step_samples: number;
  columns: number;
  rows: number;
  levels: number;
  statistics: Statistic[];
  mean_from: number;
  scale: string;
  low_hz: number;
  high_hz: number;
  floor_db: number;
  ceiling_db: number;
}

export interface Manifest {
  state: "ready" | "ingesting";
  sample_rate_hz: number;
  channels: number;
  length_samples: number;
  ready: Range[];
  peaks: PeaksShape;
  spectrogram: SpectrogramShape;
  slices: { longest_samples: number };
  clock: Stretch[];
  silences: Range[];
  /** How long it still takes to prepare, where that is known and told. */
  time_left_s: number | null;
}

/** The answer is not a manifest that this page can show. */
export class BrokenManifest extends Error {}

type Loose = Record<string, unknown>;

function whole(from: Loose, key: string, least: number): number {
  const value = from[key];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least)
    throw new BrokenManifest(`${key} is ${JSON.stringify(value)}, and must be a whole number of at least ${least}.`);
  return value;
}

function part(from: Loose, key: string): Loose {
  const value = from[key];
  if (typeof value !== "object" || value === null) throw new BrokenManifest(`${key} is missing.`);
  return value as Loose;
}

function number(from: Loose, key: string): number {
  const value = from[key];
  if (typeof value !== "number" || !Number.isFinite(value)) throw new BrokenManifest(`${key} is not a number.`);
  return value;
}

function pairs(value: unknown): Range[] {
  if (!Array.isArray(value)) return [];
  return value
    .map(([start, stop]: [number, number]) => ({ start, stop }))
    .sort((one, other) => one.start - other.start);
}

function timeLeft(ingest: unknown): number | null {
  const seconds = (ingest as { time_left_s?: unknown } | undefined)?.time_left_s;
  return typeof seconds === "number" ? seconds : null;
}

function readSpectrogram(from: Loose): SpectrogramShape {
  return {
    window: String(from.window ?? ""),
    window_samples: whole(from, "window_samples", 2),
    step_samples: whole(from, "step_samples", 1),
    columns: whole(from, "columns", 1),
    rows: whole(from, "rows", 1),
    levels: whole(from, "levels", 1),
    statistics: (from.statistics as Statistic[] | undefined) ?? ["max"],
    mean_from: whole(from, "mean_from", 0),
    scale: String(from.scale ?? ""),
    low_hz: number(from, "low_hz"),
    high_hz: number(from, "high_hz"),
    floor_db: number(from, "floor_db"),
    ceiling_db: number(from, "ceiling_db"),
  };
}

export function readManifest(answer: unknown): Manifest {
  if (typeof answer !== "object" || answer === null) throw new BrokenManifest("There is no manifest.");
  const from = answer as Loose;
  if (from.version !== 1)
    throw new BrokenManifest(`The manifest has version ${from.version}, and must have version 1.`);
  const peaks = part(from, "peaks");
  const length = whole(from, "length_samples", 1);
  return {
    state: from.state === "ingesting" ? "ingesting" : "ready",
    sample_rate_hz: whole(from, "sample_rate_hz", 1),
    channels: whole(from, "channels", 1),
    length_samples: length,
    ready: from.state === "ingesting" ? pairs(from.ready) : [{ start: 0, stop: length }],
    peaks: {
      bin_samples: whole(peaks, "bin_samples", 1),
      factor: whole(peaks, "factor", 2),
      levels: whole(peaks, "levels", 1),
    },
    spectrogram: readSpectrogram(part(from, "spectrogram")),
    slices: { longest_samples: whole(part(from, "slices"), "longest_samples", 1) },
    clock: (from.clock as Stretch[] | undefined) ?? [],
    silences: pairs(from.silences),
    time_left_s: timeLeft(from.ingest),
  };
}

const TIMEOUT_MS = 30_000;
// The page's right to this sound has run out; a fresh address may be had.
const RENEWABLE = [401, 403, 410];

interface Answer {
  bytes: ArrayBuffer;
  /** False while the recording is still being prepared: ask again later. */
  complete: boolean;
}

/** The addresses of one sound, relative to its base: manifest, peaks, tiles and slices. */
export class Remote {
  #base: string;
  readonly #renew: (() => Promise<string>) | undefined;
  #renewing: Promise<string> | null = null;

  /** `renew` gives a fresh base where addresses expire. */
  constructor(base: string, renew?: () => Promise<string>) {
    this.#base = base;
    this.#renew = renew;
  }

  manifest(signal: AbortSignal): Promise<Manifest> {
    return this.#withRenewal(async (base) => readManifest(await requestJson(`${base}manifest/`, { signal })));
  }

  peaks(level: number, start: number, count: number, signal: AbortSignal): Promise<Answer> {
    return this.#answer(`peaks/${level}/?start=${start}&count=${count}`, signal);
  }

  tile(statistic: Statistic, level: number, index: number, signal: AbortSignal): Promise<Answer> {
    return this.#answer(`tiles/${statistic}/${level}/${index}/`, signal);
  }

  /** With a low priority it waits for everything that a person waits for. */
  async slice(start: number, count: number, signal: AbortSignal, priority: RequestPriority = "auto"): Promise<Slice> {
    return this.#withRenewal(async (base) => {
      const response = await get(`${base}slice/?start=${start}&count=${count}`, signal, priority);
      return {
        bytes: await body(response),
        lead: countIn(response, "Earmark-Lead", 0),
        length: countIn(response, "Earmark-Length", count),
      };
    });
  }

  #answer(path: string, signal: AbortSignal): Promise<Answer> {
    return this.#withRenewal(async (base) => {
      const response = await get(base + path, signal, "low"); // sound goes first
      return { bytes: await body(response), complete: response.headers.get("Earmark-Complete") !== "no" };
    });
  }

  /** Ask, and once more under a fresh address when the old one has expired. */
  async #withRenewal<T>(ask: (base: string) => Promise<T>): Promise<T> {
    const base = this.#base;
    try {
      return await ask(base);
    } catch (error) {
      if (!this.#renew || !(error instanceof Problem) || !RENEWABLE.includes(error.status)) throw error;
      if (this.#base === base) await this.#renewed(this.#renew);
      return ask(this.#base);
    }
  }

  async #renewed(renew: () => Promise<string>): Promise<void> {
    this.#renewing ??= renew();
    try {
      this.#base = await this.#renewing;
    } finally {
      this.#renewing = null;
    }
  }
}

function countIn(response: Response, header: string, otherwise: number): number {
  const text = response.headers.get(header);
  return text && /^\d+$/.test(text) ? Number(text) : otherwise;
}

/** Unlike lib/http's request, this lets the browser keep what the server allows it to keep: pictures do not change. */
async function get(url: string, signal: AbortSignal, priority: RequestPriority): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {
      credentials: "same-origin",
      priority,
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), signal]),
    });
  } catch (cause) {
    throw new Unreachable("no answer", { cause });
  }
  if (!response.ok) throw new Problem(response.status, {});
  return response;
}

async function body(response: Response): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (cause) {
    throw new Unreachable("the answer was cut short", { cause });
  }
}
