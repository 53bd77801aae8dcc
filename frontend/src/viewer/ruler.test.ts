import assert from "node:assert/strict";
import { test } from "node:test";
import { boundsOf, viewOf, wholeView } from "./geometry.ts";
import { clockTicks, fileTicks, stepFor, stepWithin } from "./ruler.ts";

const RATE = 44_100;
const LENGTH = 86_515 * RATE;
const BOUNDS = boundsOf(LENGTH, RATE);
const PERIOD = 3605 * RATE;
const STRETCHES = Array.from({ length: 24 }, (_, hour) => ({
  start: hour * PERIOD,
  stop: hour * PERIOD + 3600 * RATE,
  clock_s: hour * 3600,
}));
const GAP = 78;

test("labels keep their distance at every zoom, and there are always some", () => {
  for (let seconds = 5; seconds < 86_000; seconds *= 1.4) {
    const view = viewOf({ start: 1234 * RATE, stop: (1234 + seconds) * RATE }, 1200, BOUNDS);
    const labelled = fileTicks(view, RATE, GAP).filter(({ label }) => label);
    assert.ok(labelled.length >= 2, `${seconds} s`);
    labelled.slice(1).forEach((tick, index) => {
      assert.ok(tick.x - (labelled[index]?.x ?? 0) >= GAP - 0.01);
    });
  }
});

test("marks stand on the sample of their time, also at the end of a day", () => {
  const view = viewOf({ start: 86_000 * RATE, stop: 86_006 * RATE }, 1200, BOUNDS);
  const labelled = fileTicks(view, RATE, GAP).filter(({ label }) => label);
  assert.deepEqual(
    labelled.slice(0, 3).map(({ label, sample }) => [label, sample]),
    [
      ["23:53:20.0", 86_000 * RATE],
      ["23:53:20.5", 86_000.5 * RATE],
      ["23:53:21.0", 86_001 * RATE],
    ],
  );
});

test("on a day the clock counts hours and the file counts its own time", () => {
  const view = wholeView(1200, BOUNDS);
  const clock = clockTicks(view, RATE, STRETCHES, GAP).filter(({ label }) => label);
  assert.equal(clock[0]?.label, "00:00");
  const noon = clock.find(({ label }) => label === "12:00");
  assert.equal(noon?.sample, 12 * PERIOD);
  const file = fileTicks(view, RATE, GAP).find(({ label }) => label === "12:00:00");
  assert.equal(file?.sample, 12 * 3600 * RATE);
});

test("around a separator every full second of the clock stands once", () => {
  const view = viewOf({ start: 3595 * RATE, stop: 3610 * RATE }, 1800, BOUNDS);
  const labels = clockTicks(view, RATE, STRETCHES, GAP)
    .map(({ label }) => label)
    .filter(Boolean);
  assert.deepEqual(labels, [
    "00:59:55",
    "00:59:56",
    "00:59:57",
    "00:59:58",
    "00:59:59",
    "01:00:00",
    "01:00:01",
    "01:00:02",
    "01:00:03",
    "01:00:04",
  ]);
});

test("steps are those that people count in", () => {
  assert.equal(stepFor(3600 / 1200, GAP).stepMs, 300_000);
  assert.equal(stepFor(5 / 1200, GAP).stepMs, 500);
  assert.equal(stepFor(1e9, GAP).stepMs, 86_400_000);
  assert.equal(stepWithin(10), 10);
  assert.equal(stepWithin(14.9), 10);
  assert.equal(stepWithin(0.001), 0.01);
});
