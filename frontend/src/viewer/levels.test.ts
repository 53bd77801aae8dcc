import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY, manifestWith, RATE } from "./fakePage.ts";
import { boundsOf, viewOf, wholeView, zoomAround } from "./geometry.ts";
import {
  BLOCK_BINS,
  binSamples,
  blocksIn,
  columnStep,
  partOf,
  peaksLevel,
  storedStatistic,
  type Tile,
  tileLevel,
  tileRange,
  tilesIn,
  tilesWanted,
} from "./levels.ts";

const BOUNDS = boundsOf(DAY, RATE);
const { spectrogram: SHAPE, peaks: PEAKS } = manifestWith();
const WORST_TILE_BYTES = 40_000; // noise, as JPEG of quality 80

test("the first paint of a day costs at most four tiles, at any width and pixel ratio", () => {
  for (const width of [390, 820, 1200, 1440, 1920, 2560])
    for (const ratio of [1, 1.5, 2, 3]) {
      const wanted = tilesWanted(SHAPE, wholeView(width, BOUNDS), ratio, DAY, () => false);
      assert.ok(wanted.length <= 4, `${width} px at ${ratio}: ${wanted.length} tiles`);
      assert.ok(wanted.length * WORST_TILE_BYTES + 20_000 <= 200_000);
      assert.deepEqual(wanted[0], { level: 14, index: 0 }, "the whole recording comes first");
    }
});

test("every zoom step from a day to five seconds asks for at most four tiles", () => {
  for (const [width, ratio, at] of [
    [1440, 1, 0.37],
    [1920, 1, 0.61],
    [1280, 2, 0.5],
    [390, 3, 0.9],
  ] as const) {
    let view = wholeView(width, BOUNDS);
    const known = new Set<string>();
    for (let step = 0; step < 16; step += 1) {
      const wanted = tilesWanted(SHAPE, view, ratio, DAY, ({ level, index }) => known.has(`${level}/${index}`));
      const fresh = wanted.filter(({ level, index }) => !known.has(`${level}/${index}`));
      assert.ok(fresh.length <= 4, `step ${step} at ${width}: ${fresh.length}`);
      for (const { level, index } of fresh) known.add(`${level}/${index}`);
      view = zoomAround(view, 2, width * at, BOUNDS);
    }
  }
});

test("columns are near the pixels: neither much coarser nor wastefully finer", () => {
  for (let seconds = 6; seconds < 80_000; seconds *= 1.3) {
    const view = viewOf({ start: 0, stop: seconds * RATE }, 1200, BOUNDS);
    const stretch = columnStep(SHAPE, tileLevel(SHAPE, view, 1)) / view.samplesPerPixel;
    assert.ok(stretch > 0.5 && stretch <= 2 ** 0.25 * 1.001, `${seconds} s: ${stretch}`);
  }
});

test("a level is never finer than the finest nor coarser than the coarsest", () => {
  assert.equal(tileLevel(SHAPE, { start: 0, samplesPerPixel: 1, width: 100 }, 1), 0);
  assert.equal(tileLevel(SHAPE, { start: 0, samplesPerPixel: 1e9, width: 100 }, 1), 14);
});

test("tiles cover a range without a gap, and end with the recording", () => {
  const range = { start: 3_000_000_000, stop: 3_000_700_000 };
  const tiles = tilesIn(SHAPE, 0, range, DAY);
  assert.ok(tileRange(SHAPE, tiles[0] as Tile).start <= range.start);
  assert.ok(tileRange(SHAPE, tiles.at(-1) as Tile).stop >= range.stop);
  tiles.slice(1).forEach((tile, index) => {
    assert.equal(tileRange(SHAPE, tile).start, tileRange(SHAPE, tiles[index] as Tile).stop);
  });
  assert.equal(tilesIn(SHAPE, 14, { start: 0, stop: 1e15 }, DAY).length, 1);
  assert.deepEqual(tilesIn(SHAPE, 0, { start: 0, stop: 262_144 }, DAY), [{ level: 0, index: 0 }]);
});

test("a coarser tile's part shows the same samples as the tile it stands in for", () => {
  for (const tile of [
    { level: 0, index: 11_445 },
    { level: 5, index: 301 },
  ])
    for (let level = tile.level; level < 15; level += 1) {
      const { tile: holder, left, width } = partOf(SHAPE, tile, level);
      const start = tileRange(SHAPE, holder).start + left * columnStep(SHAPE, level);
      assert.equal(start, tileRange(SHAPE, tile).start);
      assert.equal(width * columnStep(SHAPE, level), tileRange(SHAPE, tile).stop - tileRange(SHAPE, tile).start);
    }
});

test("a jump into the depth asks for a coarse picture before the fine ones, unless one is there already", () => {
  const view = viewOf({ start: 2_000_000_000, stop: 2_000_000_000 + 6 * RATE }, 1200, BOUNDS);
  const blind = tilesWanted(SHAPE, view, 1, DAY, () => false);
  const levels = blind.map(({ level }) => level);
  assert.deepEqual(levels, [14, 3, ...levels.slice(2).map(() => 0)]);
  const helped = tilesWanted(SHAPE, view, 1, DAY, ({ level }) => level === 2);
  assert.ok(!helped.some(({ level }) => level === 3));
});

test("what is in the middle of the view comes before its edges", () => {
  const view = viewOf({ start: 1_000_000_000, stop: 1_000_000_000 + 14 * RATE }, 1900, BOUNDS);
  const middle = view.start + 7 * RATE;
  const distances = tilesWanted(SHAPE, view, 1, DAY, () => true)
    .slice(1)
    .map((tile) => Math.abs((tileRange(SHAPE, tile).start + tileRange(SHAPE, tile).stop) / 2 - middle));
  assert.ok(distances.length >= 2);
  assert.deepEqual(
    distances,
    distances.toSorted((one, other) => one - other),
  );
});

test("the mean exists where columns are pooled; below it there is one picture", () => {
  assert.equal(storedStatistic(SHAPE, "mean", 3), "mean");
  assert.equal(storedStatistic(SHAPE, "mean", 2), "max");
  assert.equal(storedStatistic({ ...SHAPE, statistics: ["max"] }, "mean", 9), "max");
});

test("the waveform has a bin for every pixel where the peaks are that fine, and few bytes", () => {
  for (let spp = 512; spp < 3e6; spp *= 1.7) {
    const bin = binSamples(PEAKS, peaksLevel(PEAKS, spp));
    assert.ok(bin <= spp * 1.0001 && bin > spp / 4.001, `${spp}`);
  }
  assert.equal(peaksLevel(PEAKS, 20), 0);
  assert.equal(peaksLevel(PEAKS, 512 * 4 ** 3), 3);
  // A short sound has bins of 8 samples: a clip of 5 s at 8 kHz is drawn to the pixel on a fine screen of 2600.
  assert.equal(binSamples({ ...PEAKS, bin_samples: 8 }, peaksLevel({ ...PEAKS, bin_samples: 8 }, 40_000 / 2600)), 8);
  const day = blocksIn(PEAKS, 6, { start: 0, stop: DAY }, DAY);
  assert.deepEqual(day, [0]);
  const blocks = blocksIn(PEAKS, 0, { start: BLOCK_BINS * 512 - 1, stop: BLOCK_BINS * 512 + 1 }, DAY);
  assert.deepEqual(blocks, [0, 1]);
});
