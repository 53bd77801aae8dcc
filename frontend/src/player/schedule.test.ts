import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aheadS,
  DecodedStore,
  frameAfter,
  isFetchedWhole,
  nextSample,
  samplesToAsk,
  Timeline,
  timeOf,
} from "./schedule.ts";

const RATE = 44_100;
const DAY = { sampleRateHz: RATE, lengthSamples: 24 * 3600 * RATE, longestSamples: 10 * RATE };

test("a passage goes on to its end, and then ends or begins again", () => {
  const passage = { from: 100, to: 200, loop: false };
  assert.equal(nextSample(passage, 150), 150);
  assert.equal(nextSample(passage, 200), null);
  assert.equal(nextSample({ ...passage, loop: true }, 200), 100);
});

test("every frame of the clock has one sample, over joints and loops, 23 hours in", () => {
  const timeline = new Timeline();
  const start = 23 * 3600 * RATE + 7;
  timeline.add({ frame: 1000, start, count: 441 });
  timeline.add({ frame: 1441, start: start + 441, count: 100 });
  timeline.add({ frame: 1541, start, count: 541 });
  assert.equal(timeline.sampleAt(0), start, "before it begins, its first sample");
  assert.equal(timeline.sampleAt(1000), start);
  assert.equal(timeline.sampleAt(1440), start + 440);
  assert.equal(timeline.sampleAt(1441), start + 441);
  assert.equal(timeline.sampleAt(1540), start + 540);
  assert.equal(timeline.sampleAt(1541), start, "the loop begins again");
  assert.equal(timeline.sampleAt(9999), start + 541, "after the end, what sounded last");
  assert.equal(timeline.endFrame, 2082);
});

test("a clock that stands on a frame names its sample, although seconds cannot name every frame", () => {
  for (const rate of [8000, 22_050, 44_100, 48_000, 96_000]) {
    const timeline = new Timeline();
    timeline.add({ frame: 0, start: 0, count: 2 ** 31 });
    for (let block = 1; block < 4e6; block = Math.ceil(block * 1.01)) {
      const frame = block * 128;
      assert.equal(timeline.sampleAt((frame / rate) * rate), frame, `frame ${frame} at ${rate}`);
    }
    assert.equal(timeline.sampleAt(1000.99), 1000, "between two frames, the one that sounds");
  }
});

test("in a gap the cursor waits at the end of what sounded", () => {
  const timeline = new Timeline();
  timeline.add({ frame: 0, start: 50, count: 10 });
  timeline.add({ frame: 500, start: 60, count: 10 });
  assert.equal(timeline.sampleAt(300), 60);
  assert.equal(timeline.sampleAt(505), 65);
});

test("two pieces cannot sound on one frame", () => {
  const timeline = new Timeline();
  timeline.add({ frame: 0, start: 0, count: 10 });
  assert.throws(() => timeline.add({ frame: 9, start: 10, count: 10 }), /already taken/);
});

test("what has sounded is forgotten, what has not begun can be taken back, the last can be shortened", () => {
  const timeline = new Timeline();
  for (let index = 0; index < 5; index += 1) timeline.add({ frame: index * 10, start: index * 10, count: 10 });
  timeline.forget(25);
  assert.deepEqual(
    timeline.pieces.map(({ frame }) => frame),
    [20, 30, 40],
  );
  timeline.cut(35);
  assert.equal(timeline.endFrame, 40);
  assert.deepEqual(timeline.shorten(4), { frame: 30, start: 30, count: 4 });
  assert.equal(timeline.endFrame, 34);
});

test("times name their frame: never a hair before it, and nearer than a browser rounds", () => {
  for (const rate of [8000, 16_000, 22_050, 44_100, 48_000, 96_000])
    for (let frame = 1; frame < 1e9; frame = frame * 3 + 1) {
      const heard = timeOf(frame, rate) * rate;
      assert.ok(heard >= frame && heard - frame < 1 / 2048, `frame ${frame} at ${rate}`);
    }
  assert.ok(frameAfter(1.5, 0.03, RATE) >= 1.53 * RATE);
  assert.ok(Number.isInteger(frameAfter(1.234567, 0.03, RATE)));
});

test("a probe of two seconds is one request of exactly its samples", () => {
  assert.equal(samplesToAsk(DAY, 1000, 1000 + 2 * RATE, 0), 2 * RATE);
});

test("open listening begins with one second, asks for more each time, and never for more than is served", () => {
  const asked = Array.from({ length: 12 }, (_, nth) => samplesToAsk(DAY, 0, DAY.lengthSamples, nth) / RATE);
  assert.deepEqual(asked, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]);
  assert.equal(samplesToAsk({ ...DAY, longestSamples: 5000 }, 0, DAY.lengthSamples, 9), 5000);
});

test("nothing is asked for beyond the end of the passage or of the recording", () => {
  assert.equal(samplesToAsk(DAY, 0, 20 * RATE, 30), 10 * RATE);
  assert.equal(samplesToAsk(DAY, 0, 4 * RATE, 9), 4 * RATE);
  assert.equal(samplesToAsk(DAY, DAY.lengthSamples - 10, DAY.lengthSamples * 2, 5), 10);
});

test("a clip is fetched whole when one request may hold it", () => {
  assert.equal(isFetchedWhole({ sampleRateHz: RATE, lengthSamples: 4 * RATE, longestSamples: 10 * RATE }), true);
  assert.equal(isFetchedWhole({ sampleRateHz: RATE, lengthSamples: 4 * RATE, longestSamples: RATE }), false);
  assert.equal(isFetchedWhole(DAY), false);
});

test("within two seconds of listening no more than six seconds are fetched", () => {
  let fetched = 0;
  let nth = 0;
  for (let playedS = 0; playedS <= 2; playedS += 0.1)
    while (fetched - playedS < aheadS(playedS, false)) {
      fetched += samplesToAsk(DAY, 0, DAY.lengthSamples, nth) / RATE;
      nth += 1;
    }
  assert.ok(fetched <= 6, `${fetched} s`);
  assert.equal(aheadS(600, false), 20);
  assert.equal(aheadS(600, true), 4);
});

test("what was decoded is found again, and the oldest is dropped beyond the bound", () => {
  const store = new DecodedStore<{ start: number; stop: number }>(100);
  store.add({ start: 0, stop: 40 });
  store.add({ start: 30, stop: 80 });
  assert.deepEqual(store.find(35), { start: 30, stop: 80 }, "the one that reaches furthest");
  assert.deepEqual(store.find(10), { start: 0, stop: 40 });
  assert.equal(store.nextStart(10), 30);
  store.add({ start: 200, stop: 240 });
  assert.equal(store.find(60), undefined, "the least recently used is gone");
  assert.ok(store.find(10));
  assert.equal(store.find(40), undefined);
});
