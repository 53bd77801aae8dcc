// Levels of the pyramids: which one a view is drawn from, and which of its tiles and blocks. Pure.

import { span, type View } from "./geometry.ts";
import type { PeaksShape, Range, SpectrogramShape, Statistic } from "./remote.ts";

/** Samples of one column of the spectrogram at a level. */
export function columnStep(shape: SpectrogramShape, level: number): number {
  return shape.step_samples * 2 ** level;
}

export function tileSpan(shape: SpectrogramShape, level: number): number {
  return columnStep(shape, level) * shape.columns;
}

// A view is drawn from few tiles, three or at worst four, so that a zoom step stays within 150 KB.
const WIDEST_TILES = 2.5;
// A column may be stretched by a sixth of a pixel before the finer level is worth its bytes.
const STRETCH = 0.25;

/** The level whose columns come nearest to the pixels of the screen; a coarser one where that would cost too many tiles. */
export function tileLevel(shape: SpectrogramShape, view: View, ratio: number): number {
  const wanted = Math.floor(Math.log2(view.samplesPerPixel / ratio / shape.step_samples) + STRETCH);
  const affordable = Math.ceil(Math.log2(span(view) / (WIDEST_TILES * tileSpan(shape, 0))));
  return Math.min(Math.max(wanted, affordable, 0), shape.levels - 1);
}

export interface Tile {
  readonly level: number;
  readonly index: number;
}

export function tileRange(shape: SpectrogramShape, tile: Tile): Range {
  const samples = tileSpan(shape, tile.level);
  return { start: tile.index * samples, stop: (tile.index + 1) * samples };
}

/** The tiles of a level that hold any of a range, from left to right. */
export function tilesIn(shape: SpectrogramShape, level: number, range: Range, length: number): Tile[] {
  const samples = tileSpan(shape, level);
  const first = Math.floor(Math.max(range.start, 0) / samples);
  const stop = Math.min(Math.max(range.stop, range.start + 1), length);
  const last = Math.max(Math.ceil(stop / samples) - 1, first);
  return Array.from({ length: last - first + 1 }, (_, offset) => ({ level, index: first + offset }));
}

/** The coarsest tile's share that shows the same as this tile: which tile, and its columns. */
export function partOf(
  shape: SpectrogramShape,
  tile: Tile,
  level: number,
): { tile: Tile; left: number; width: number } {
  const ratio = 2 ** (level - tile.level);
  const index = Math.floor(tile.index / ratio);
  const width = shape.columns / ratio;
  return { tile: { level, index }, left: (tile.index - index * ratio) * width, width };
}

/** The mean is made from the level where columns are pooled; below it there is one picture for both. */
export function storedStatistic(shape: SpectrogramShape, statistic: Statistic, level: number): Statistic {
  return level < shape.mean_from || !shape.statistics.includes(statistic) ? "max" : statistic;
}

// How far up a stretched picture still tells something; further than this a coarse one is fetched before the fine ones.
const HELPFUL_LEVELS = 3;

/** What a view needs, the most urgent first: the whole recording, a coarse picture where none helps yet, then from the middle outwards. */
export function tilesWanted(
  shape: SpectrogramShape,
  view: View,
  ratio: number,
  length: number,
  has: (tile: Tile) => boolean,
): Tile[] {
  const level = tileLevel(shape, view, ratio);
  const range = { start: view.start, stop: view.start + span(view) };
  const top = shape.levels - 1;
  const middle = view.start + span(view) / 2;
  const distance = (tile: Tile) => Math.abs((tile.index + 0.5) * tileSpan(shape, tile.level) - middle);
  const visible = tilesIn(shape, level, range, length).sort((one, other) => distance(one) - distance(other));
  const helped = visible.every((tile) => {
    const near = Math.min(level + HELPFUL_LEVELS, top);
    for (let up = level; up <= near; up += 1) if (has(partOf(shape, tile, up).tile)) return true;
    return false;
  });
  const coarse = Math.min(level + HELPFUL_LEVELS, top);
  const helpers = helped || coarse === level ? [] : tilesIn(shape, coarse, range, length).slice(0, 2);
  return distinct([...tilesIn(shape, top, { start: 0, stop: length }, length).slice(0, 2), ...helpers, ...visible]);
}

function distinct(tiles: Tile[]): Tile[] {
  const seen = new Set<string>();
  return tiles.filter(({ level, index }) => {
    const name = `${level}/${index}`;
    return !seen.has(name) && seen.add(name);
  });
}

export function binSamples(shape: PeaksShape, level: number): number {
  return shape.bin_samples * shape.factor ** level;
}

/** The coarsest level that still has a bin for every pixel of the screen; the finest when none has. */
export function peaksLevel(shape: PeaksShape, samplesPerPixel: number): number {
  const steps = Math.floor(Math.log(samplesPerPixel / shape.bin_samples) / Math.log(shape.factor) + 1e-9);
  return Math.min(Math.max(steps, 0), shape.levels - 1);
}

// Peaks are asked for in blocks with fixed edges, so that the browser's cache knows them again.
export const BLOCK_BINS = 4096;

export function blocksIn(shape: PeaksShape, level: number, range: Range, length: number): number[] {
  const samples = binSamples(shape, level) * BLOCK_BINS;
  const first = Math.floor(Math.max(range.start, 0) / samples);
  const last = Math.max(Math.ceil(Math.min(range.stop, length) / samples) - 1, first);
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
}
