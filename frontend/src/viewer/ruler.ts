// Marks of the time rulers and of the frequency axis. Pure.

import { rangeOf, type View, xOf } from "./geometry.ts";
import type { SpectrogramShape, Stretch } from "./remote.ts";
import { formatClock, formatHour, formatTime } from "./times.ts";

// O'Shaughnessy's formula, the one that Audacity and HTK use.
// Rows of the spectrogram are evenly spaced on the mel scale, the highest frequency on top.
export function melOf(hz: number): number {
  return 2595 * Math.log10(1 + hz / 700);
}

export function hzOf(mel: number): number {
  return 700 * (10 ** (mel / 2595) - 1);
}

/** The frequency at a height, 0 at the top edge of the picture and 1 at the bottom. */
export function hzAt(shape: SpectrogramShape, height: number): number {
  const low = melOf(shape.low_hz);
  const high = melOf(shape.high_hz);
  return hzOf(high - (high - low) * Math.min(Math.max(height, 0), 1));
}

/** Where a frequency stands, 0 at the top and 1 at the bottom. */
export function heightOf(shape: SpectrogramShape, hz: number): number {
  const low = melOf(shape.low_hz);
  const high = melOf(shape.high_hz);
  return (high - melOf(hz)) / (high - low);
}

const LABELLED_HZ = [100, 200, 500, 1000, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 40_000];

interface FrequencyMark {
  readonly hz: number;
  readonly height: number;
  readonly label: string;
}

/** Labels of the frequency axis, as many as have `gap` of the picture's height between them, from the bottom. */
export function frequencyMarks(shape: SpectrogramShape, gap: number): FrequencyMark[] {
  const marks: FrequencyMark[] = [];
  let lowest = 1 + gap / 2; // a label may stand on the lower edge, half of it below
  for (const hz of LABELLED_HZ.filter((value) => value > shape.low_hz && value <= shape.high_hz)) {
    const height = heightOf(shape, hz);
    if (lowest - height < gap || height < gap / 2) continue;
    lowest = height;
    marks.push({ hz, height, label: hz < 1000 ? String(hz) : `${hz / 1000}k` });
  }
  return marks;
}

/** The level that a value of the picture stands for. */
export function dbOf(shape: SpectrogramShape, value: number): number {
  return shape.floor_db + (value / 255) * (shape.ceiling_db - shape.floor_db);
}

export interface Tick {
  readonly x: number;
  readonly sample: number;
  /** Empty on the small marks between two labels. */
  readonly label: string;
}

// In milliseconds, so that every mark is a product of whole numbers; with how many parts a step has.
const LADDER: readonly (readonly [stepMs: number, parts: number])[] = [
  [10, 10],
  [20, 4],
  [50, 5],
  [100, 10],
  [200, 4],
  [500, 5],
  [1_000, 10],
  [2_000, 4],
  [5_000, 5],
  [10_000, 10],
  [15_000, 3],
  [30_000, 6],
  [60_000, 6],
  [120_000, 4],
  [300_000, 5],
  [600_000, 10],
  [900_000, 3],
  [1_800_000, 6],
  [3_600_000, 6],
  [7_200_000, 4],
  [10_800_000, 3],
  [21_600_000, 6],
  [43_200_000, 12],
  [86_400_000, 24],
];
const LAST = LADDER.length - 1;

interface Step {
  readonly stepMs: number;
  readonly parts: number;
}

/** The finest step that leaves `gap` pixels between two labels. */
export function stepFor(secondsPerPixel: number, gap: number): Step {
  const least = secondsPerPixel * gap * 1000;
  const found = LADDER.findIndex(([stepMs]) => stepMs >= least);
  const [stepMs, parts] = LADDER[found < 0 ? LAST : found] ?? [1000, 10];
  return { stepMs, parts };
}

/** The largest whole step that is not longer than so many seconds: how far an arrow key goes. */
export function stepWithin(seconds: number): number {
  const fitting = LADDER.filter(([stepMs]) => stepMs <= seconds * 1000);
  return (fitting.at(-1)?.[0] ?? 10) / 1000;
}

const decimalsOf = (stepMs: number) => (stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : 2);

interface Scale {
  /** The sample at so many milliseconds of this ruler's own time. */
  sampleOf(ms: number): number;
  firstMs: number;
  lastMs: number;
  label(seconds: number, stepMs: number): string;
}

function ticksOn(view: View, step: Step, scale: Scale): Tick[] {
  const smallMs = step.stepMs / step.parts;
  const first = Math.ceil(scale.firstMs / smallMs);
  const last = Math.floor(scale.lastMs / smallMs);
  const ticks: Tick[] = [];
  for (let count = first; count <= last; count += 1) {
    const ms = count * smallMs;
    const sample = scale.sampleOf(ms);
    const label = count % step.parts === 0 ? scale.label(ms / 1000, step.stepMs) : "";
    ticks.push({ x: xOf(view, sample), sample, label });
  }
  return ticks;
}

export function fileTicks(view: View, sampleRateHz: number, gap: number): Tick[] {
  const { start, stop } = rangeOf(view);
  const toMs = 1000 / sampleRateHz;
  return ticksOn(view, stepFor(view.samplesPerPixel / sampleRateHz, gap), {
    firstMs: start * toMs,
    lastMs: stop * toMs,
    sampleOf: (ms) => Math.round((ms * sampleRateHz) / 1000),
    label: (seconds, stepMs) => formatTime(seconds, decimalsOf(stepMs)),
  });
}

/** The same on the clock: every stretch has its own zero, and between stretches there is no time. */
export function clockTicks(view: View, sampleRateHz: number, stretches: readonly Stretch[], gap: number): Tick[] {
  const shown = rangeOf(view);
  const step = stepFor(view.samplesPerPixel / sampleRateHz, gap);
  return stretches.flatMap(({ start, stop, clock_s }) => {
    const from = Math.max(start, shown.start);
    const to = Math.min(stop, shown.stop);
    if (to <= from) return [];
    const msAt = (sample: number) => clock_s * 1000 + ((sample - start) * 1000) / sampleRateHz;
    return ticksOn(view, step, {
      firstMs: msAt(from),
      lastMs: msAt(to) - 1e-6, // the end of a stretch belongs to the next one
      sampleOf: (ms) => start + Math.round(((ms - clock_s * 1000) * sampleRateHz) / 1000),
      label: (seconds, stepMs) => (stepMs >= 60_000 ? formatHour(seconds) : formatClock(seconds, decimalsOf(stepMs))),
    });
  });
}
