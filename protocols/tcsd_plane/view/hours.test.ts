import assert from "node:assert/strict";
import { test } from "node:test";
import { hourAt, hoursOf, longName, shortName } from "./hours.ts";

const RATE = 100;
const HOUR = 3600 * RATE;
const GAP = 5 * RATE;

const separated = (count: number, firstClockS = 0) => ({
  clock: Array.from({ length: count }, (_, hour) => {
    const start = hour * (HOUR + GAP);
    return { start, stop: start + HOUR, clock_s: firstClockS + hour * 3600 };
  }),
  length_samples: count * (HOUR + GAP) - GAP,
  sample_rate_hz: RATE,
});
const plain = (length_samples: number) => ({ clock: [], length_samples, sample_rate_hz: RATE });

test("with separators the last hour of a day begins 115 seconds after 23 times 3600", () => {
  const hours = hoursOf(separated(24));
  assert.equal(hours.length, 24);
  assert.equal((hours[23]?.start ?? 0) / RATE, 23 * 3600 + 115);
  assert.equal(hours[23]?.clockS, 23 * 3600);
});

test("without a clock an hour begins every 3600 seconds, and a short rest belongs to the last one", () => {
  const hours = hoursOf(plain(3 * HOUR + 300 * RATE));
  assert.deepEqual(
    hours.map(({ start, stop }) => [start / RATE, stop / RATE]),
    [
      [0, 3600],
      [3600, 7200],
      [7200, 11100],
    ],
  );
  assert.equal(hoursOf(plain(3 * HOUR + 900 * RATE)).length, 4);
});

test("a clock that runs through is cut into hours as well, each with its time", () => {
  const day = { ...plain(2 * HOUR), clock: [{ start: 0, stop: 2 * HOUR, clock_s: 30_000 }] };
  assert.deepEqual(
    hoursOf(day).map(({ clockS }) => clockS),
    [30_000, 33_600],
  );
});

test("a recording of some minutes is one hour", () => {
  assert.equal(hoursOf(plain(90 * RATE)).length, 1);
});

test("a sample belongs to its hour, and a separator to the hour before it", () => {
  const hours = hoursOf(separated(3));
  assert.equal(hourAt(hours, 0)?.index, 0);
  assert.equal(hourAt(hours, HOUR + GAP - 1)?.index, 0);
  assert.equal(hourAt(hours, HOUR + GAP)?.index, 1);
  assert.equal(hourAt(hours, 99 * HOUR)?.index, 2);
});

test("hours are named by the clock, over midnight too, and by file time without one", () => {
  const [late] = hoursOf(separated(1, 23 * 3600));
  const [odd] = hoursOf(separated(1, 8 * 3600 + 1200));
  const [bare] = hoursOf(plain(HOUR));
  assert.ok(late && odd && bare);
  assert.equal(shortName(late), "23");
  assert.equal(longName(late, RATE), "23:00–00:00");
  assert.equal(shortName(odd), "08:20");
  assert.equal(shortName(bare), "0");
  assert.equal(longName(bare, RATE), "0:00–1:00");
});
