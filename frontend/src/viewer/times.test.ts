import assert from "node:assert/strict";
import { test } from "node:test";
import {
  clockAt,
  decimalsFor,
  formatClock,
  formatDb,
  formatHour,
  formatHz,
  formatTime,
  hourStarts,
  ofDay,
  parseTime,
  sampleAtClock,
  spokenParts,
} from "./times.ts";

const RATE = 44_100;
const PERIOD = 3605 * RATE;
// Hours with five seconds of silence after each, as the recordings of the TC/SD study have them.
const STRETCHES = Array.from({ length: 24 }, (_, hour) => ({
  start: hour * PERIOD,
  stop: hour * PERIOD + 3600 * RATE,
  clock_s: hour * 3600,
}));

test("the clock skips the separators: by hour 23 file time is 115 s late", () => {
  const sample = 23 * PERIOD + 1800 * RATE;
  assert.equal(sample / RATE, 23.5 * 3600 + 115);
  assert.equal(clockAt(STRETCHES, sample, RATE), 23.5 * 3600);
  assert.equal(sampleAtClock(STRETCHES, 23.5 * 3600, RATE), sample);
});

test("between two hours there is no clock, and a stretch does not own its end", () => {
  assert.equal(clockAt(STRETCHES, 3602 * RATE, RATE), null);
  assert.equal(clockAt(STRETCHES, 3600 * RATE, RATE), null);
  assert.equal(clockAt(STRETCHES, 3600 * RATE - 1, RATE), 3600 - 1 / RATE);
  assert.equal(clockAt([], 0, RATE), null);
  assert.equal(sampleAtClock(STRETCHES, 25 * 3600, RATE), null);
});

test("hours begin where their stretch begins, also when the day starts at another hour", () => {
  assert.deepEqual(
    hourStarts(STRETCHES, RATE),
    STRETCHES.map(({ start }) => start),
  );
  const oneToThree = [{ start: 100, stop: 100 + 7200 * RATE, clock_s: 45_000 }]; // from 12:30 on
  assert.deepEqual(hourStarts(oneToThree, RATE), [100 + 1800 * RATE, 100 + 5400 * RATE]);
});

test("times are written with hours only where there are any, and never with sixty seconds", () => {
  assert.equal(formatTime(0, 3), "0:00.000");
  assert.equal(formatTime(59.9996, 3), "1:00.000");
  assert.equal(formatTime(3599.9999, 3), "1:00:00.000");
  assert.equal(formatTime(11_525.12, 2), "3:12:05.12");
  assert.equal(formatTime(86_400), "24:00:00");
});

test("a clock goes round, and rounds before it does", () => {
  assert.equal(formatClock(30_250.4), "08:24:10");
  assert.equal(formatClock(86_400 + 61), "00:01:01");
  assert.equal(formatClock(86_399.9996, 3), "00:00:00.000");
  assert.equal(formatHour(30_250), "08:24");
  assert.equal(ofDay(-60), 86_340);
});

test("what is typed as a time is read, and what is none is not", () => {
  assert.equal(parseTime("75.25"), 75.25);
  assert.equal(parseTime(" 1:02,5 "), 62.5);
  assert.equal(parseTime("1:02:03.5"), 3723.5);
  for (const text of ["", "a", "1:2:3:4", "-1", "1::2", ":3", "1e3"]) assert.equal(parseTime(text), undefined, text);
});

test("a time that was written can be read back to the millisecond", () => {
  for (const seconds of [0, 0.001, 59.999, 3600, 86_399.123]) assert.equal(parseTime(formatTime(seconds, 3)), seconds);
});

test("frequencies and levels have units and a true minus", () => {
  assert.equal(formatHz(440.4), "440 Hz");
  assert.equal(formatHz(4870), "4.87 kHz");
  assert.equal(formatHz(12_340), "12.3 kHz");
  assert.equal(formatDb(-54.4), "\u221254 dB");
  assert.equal(formatDb(-0.2), "0 dB");
  assert.deepEqual(spokenParts(3725.04), { h: 1, m: 2, s: "5" });
});

test("as many decimals as tell two pixels apart", () => {
  assert.deepEqual([60, 1, 0.9, 0.05, 0.004, 0.0001].map(decimalsFor), [0, 0, 1, 2, 3, 3]);
});
