// Between rows of the spectrogram and Hz: rows are evenly spaced on the mel scale, the highest frequency on top. Pure.
import type { SpectrogramShape } from "./contract.ts";

// O'Shaughnessy's formula, the one that Audacity and HTK use.
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

export interface FrequencyMark {
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
