// What the server says about one sound: the manifest, judged on arrival so that nothing later has to doubt it.

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
