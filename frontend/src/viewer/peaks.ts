// Peaks of the waveform: fetched in blocks, reduced to what one pixel shows.

import { DataStore, type DataStoreParts } from "./dataStore.ts";
import { rangeOf, type View } from "./geometry.ts";
import { BLOCK_BINS, binSamples, blocksIn, peaksLevel } from "./levels.ts";
import type { Manifest, PeaksShape, Range, Remote } from "./remote.ts";

const LIMIT_BYTES = 8 * 2 ** 20;

interface Block {
  /** min, max, min, max, ... */
  values: Int8Array;
  complete: boolean;
}

/** The bins of one level, wherever they are kept; undefined where nothing has come yet. */
export interface Bins {
  readonly samples: number;
  /** Index of the bin's minimum in `values`. */
  at(bin: number): { values: Int8Array; index: number } | undefined;
}

interface Envelope {
  low: Int8Array;
  high: Int8Array;
  /** 1 where the envelope is known. */
  known: Uint8Array;
}

/** Lowest and highest value in each of `count` columns of equal width from `start` on. Pure. */
export function envelope(bins: Bins, start: number, samplesPerColumn: number, count: number): Envelope {
  const result = { low: new Int8Array(count), high: new Int8Array(count), known: new Uint8Array(count) };
  for (let column = 0; column < count; column += 1) {
    const first = Math.floor((start + column * samplesPerColumn) / bins.samples);
    const last = Math.max(Math.ceil((start + (column + 1) * samplesPerColumn) / bins.samples) - 1, first);
    mergeBins(bins, first, last, result, column);
  }
  return result;
}

function mergeBins(bins: Bins, first: number, last: number, result: Envelope, column: number): void {
  let low = 127;
  let high = -128;
  for (let bin = first; bin <= last; bin += 1) {
    const found = bins.at(bin);
    if (!found) continue;
    low = Math.min(low, found.values[found.index] ?? 127);
    high = Math.max(high, found.values[found.index + 1] ?? -128);
  }
  if (low > high) return;
  result.low[column] = low;
  result.high[column] = high;
  result.known[column] = 1;
}

export class PeakStore {
  readonly #remote: Remote;
  readonly #store: DataStore<Block>;
  #shape: PeaksShape;

  constructor(parts: DataStoreParts, manifest: Manifest) {
    this.#remote = parts.remote;
    this.#shape = manifest.peaks;
    this.#store = new DataStore(parts, {
      limitBytes: LIMIT_BYTES,
      fetch: (key, signal) => this.#fetch(key, signal),
      byteCount: ({ values }) => values.length,
    });
  }

  get failing(): boolean {
    return this.#store.failing;
  }

  refresh(manifest: Manifest): void {
    this.#shape = manifest.peaks;
    this.#store.refresh();
  }

  want(view: View, ratio: number, range: Range, length: number): void {
    const level = peaksLevel(this.#shape, view.samplesPerPixel / ratio);
    this.#store.want(blocksIn(this.#shape, level, range, length).map((block) => `${level}/${block}`));
  }

  /** The level that suits the view, with coarser bins in the place of those that have not come. */
  bins(view: View, ratio: number): Bins {
    const level = peaksLevel(this.#shape, view.samplesPerPixel / ratio);
    return { samples: binSamples(this.#shape, level), at: (bin) => this.#bin(level, bin) };
  }

  /** Whether a part of the view has no bins yet, not even coarse ones, and is on its way. */
  loading(view: View, ratio: number, length: number): boolean {
    const level = peaksLevel(this.#shape, view.samplesPerPixel / ratio);
    return blocksIn(this.#shape, level, rangeOf(view), length).some(
      (block) => !this.#bin(level, block * BLOCK_BINS) && !this.#store.failed(`${level}/${block}`),
    );
  }

  #bin(level: number, bin: number): { values: Int8Array; index: number } | undefined {
    let coarse = bin;
    for (let up = level; up < this.#shape.levels; up += 1) {
      const block = Math.floor(coarse / BLOCK_BINS);
      const values = this.#store.peek(`${up}/${block}`)?.values;
      const index = (coarse - block * BLOCK_BINS) * 2;
      if (values && index + 1 < values.length) return { values, index };
      if (values && up === level) return undefined; // the block is here, and the recording ends before this bin
      coarse = Math.floor(coarse / this.#shape.factor);
    }
    return undefined;
  }

  async #fetch(key: string, signal: AbortSignal): Promise<Block> {
    const [level = 0, block = 0] = key.split("/").map(Number);
    const answer = await this.#remote.peaks(level, block * BLOCK_BINS, BLOCK_BINS, signal);
    return { values: new Int8Array(answer.bytes), complete: answer.complete };
  }
}
