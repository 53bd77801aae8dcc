import assert from "node:assert/strict";
import { test } from "node:test";
import {
  boundsOf,
  clampView,
  devicePixels,
  follow,
  pan,
  pinch,
  rangeOf,
  resize,
  reveal,
  sampleAt,
  span,
  viewOf,
  wholeView,
  xOf,
  zoomAround,
} from "./geometry.ts";

const RATE = 44_100;
const DAY = boundsOf(24 * 3600 * RATE, RATE);
const WIDTH = 1200;

test("the whole recording fills the view, from a clip to a day beyond 2^31 samples", () => {
  for (const length of [4 * RATE, 600 * RATE, 24 * 3600 * RATE, 48 * 3600 * 96_000]) {
    const bounds = boundsOf(length, RATE);
    const view = wholeView(WIDTH, bounds);
    assert.equal(view.start, 0);
    assert.equal(Math.round(span(view)), length);
    assert.equal(sampleAt(view, WIDTH, length), length);
  }
});

test("the narrowest view is five seconds, and an eighth of a short clip", () => {
  assert.equal(DAY.narrowest, 5 * RATE);
  assert.equal(boundsOf(8 * RATE, RATE).narrowest, RATE);
  assert.equal(boundsOf(2 * RATE, RATE).narrowest, RATE / 2);
  assert.equal(boundsOf(100, RATE).narrowest, 100);
});

test("what is under the pointer stays under it through every zoom step from a day to five seconds", () => {
  const x = 777;
  let view = wholeView(WIDTH, DAY);
  const held = sampleAt(view, x, DAY.length);
  for (let step = 0; step < 20; step += 1) {
    view = zoomAround(view, 2, x, DAY);
    // A whole sample at the left edge moves the pointer's sample by half a sample a step at most.
    assert.ok(Math.abs(xOf(view, held) - x) * view.samplesPerPixel <= 20, `step ${step}`);
    assert.ok(Number.isInteger(view.start));
  }
  assert.equal(Math.round(span(view)), DAY.narrowest);
});

test("zooming out ends at the whole recording and never beyond an end of it", () => {
  const close = viewOf({ start: DAY.length - 6 * RATE, stop: DAY.length }, WIDTH, DAY);
  const wide = zoomAround(close, 1e-9, 0, DAY);
  assert.deepEqual(wide, wholeView(WIDTH, DAY));
  assert.ok(rangeOf(zoomAround(close, 0.5, 0, DAY)).stop <= DAY.length + 1);
});

test("panning moves by pixels and stops at both ends", () => {
  const view = viewOf({ start: 1000 * RATE, stop: 1012 * RATE }, WIDTH, DAY);
  assert.equal(pan(view, 100, DAY).start, view.start + RATE);
  assert.equal(pan(view, -1e12, DAY).start, 0);
  assert.equal(rangeOf(pan(view, 1e12, DAY)).stop, DAY.length);
});

test("samples and pixels convert into each other, and stay inside the recording", () => {
  const view = viewOf({ start: 3_000_000_000, stop: 3_000_000_000 + 6 * RATE }, WIDTH, DAY);
  for (const x of [0, 1, 599.5, 1199]) assert.ok(Math.abs(xOf(view, sampleAt(view, x, DAY.length)) - x) < 0.01);
  assert.equal(sampleAt(view, -1e9, DAY.length), 0);
  assert.equal(sampleAt(view, 1e12, DAY.length), DAY.length);
});

test("a range narrower than allowed is shown in the middle of the narrowest view", () => {
  const view = viewOf({ start: 100 * RATE, stop: 101 * RATE }, WIDTH, DAY);
  assert.equal(view.start, 98 * RATE);
  assert.equal(Math.round(span(view)), 5 * RATE);
});

test("a wider page shows the same part", () => {
  const view = viewOf({ start: 100 * RATE, stop: 200 * RATE }, WIDTH, DAY);
  const wider = resize(view, 1800, DAY);
  assert.equal(wider.start, view.start);
  assert.equal(Math.round(span(wider)), Math.round(span(view)));
});

test("two fingers keep their samples: apart zooms in, together moves", () => {
  const view = viewOf({ start: 1000 * RATE, stop: 2000 * RATE }, WIDTH, DAY);
  const [left, right] = [sampleAt(view, 400, DAY.length), sampleAt(view, 600, DAY.length)];
  const spread = pinch(view, [400, 600], [300, 700], DAY);
  assert.ok(Math.abs(xOf(spread, left) - 300) < 0.01 && Math.abs(xOf(spread, right) - 700) < 0.01);
  const moved = pinch(view, [400, 600], [500, 700], DAY);
  assert.ok(Math.abs(xOf(moved, left) - 500) < 0.01 && Math.abs(xOf(moved, right) - 700) < 0.01);
});

test("the view turns a page shortly before the cursor leaves it, and waits while it is inside", () => {
  const view = viewOf({ start: 1000 * RATE, stop: 1100 * RATE }, WIDTH, DAY);
  assert.equal(follow(view, 1093 * RATE, DAY), view);
  const turned = follow(view, 1095 * RATE, DAY);
  assert.ok(xOf(turned, 1095 * RATE) < WIDTH * 0.1);
  assert.equal(reveal(view, 1050 * RATE, 0.5, DAY), view);
  assert.equal(Math.round(xOf(reveal(view, 5000 * RATE, 0.5, DAY), 5000 * RATE)), WIDTH / 2);
});

test("neighbouring ranges meet on one device pixel, at every ratio", () => {
  const view = clampView({ start: 12_345, samplesPerPixel: 333.3, width: WIDTH }, DAY);
  for (const ratio of [1, 1.25, 1.5, 2, 3]) {
    const edges = Array.from({ length: 50 }, (_, index) => 12_345 + index * 7919);
    for (let index = 0; index < edges.length - 2; index += 1) {
      const [start = 0, middle = 0, stop = 0] = edges.slice(index, index + 3);
      const one = devicePixels(view, ratio, { start, stop: middle });
      const other = devicePixels(view, ratio, { start: middle, stop });
      assert.equal(one.right, other.left);
      assert.ok(Number.isInteger(one.left));
    }
  }
});
