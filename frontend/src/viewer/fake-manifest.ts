// What the server says of a day of sound, for tests without a server.
import { type Manifest, readManifest } from "./contract.ts";

export const RATE = 44_100;
export const DAY = 24 * 3600 * RATE;

const SPECTROGRAM = {
  window: "hann",
  window_samples: 2048,
  step_samples: 256,
  columns: 1024,
  rows: 256,
  levels: 15,
  stored_from: 4,
  statistics: ["max", "mean"],
  mean_from: 3,
  scale: "mel",
  low_hz: 20,
  high_hz: 20_000,
  floor_db: -120,
  ceiling_db: 0,
};

/** The answer as it comes over the wire, with some of it changed. */
export function answerWith(change: Record<string, unknown> = {}) {
  return {
    version: 1,
    state: "ready",
    sample_rate_hz: RATE,
    channels: 1,
    length_samples: DAY,
    ready: [[0, DAY]],
    peaks: { bin_samples: 512, factor: 4, levels: 9 },
    spectrogram: SPECTROGRAM,
    slices: { longest_samples: 441_000 },
    clock: [],
    silences: [],
    ...change,
  };
}

/** The same as the page reads it. */
export function manifestWith(change: Record<string, unknown> = {}): Manifest {
  return readManifest(answerWith(change));
}
