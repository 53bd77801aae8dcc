import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allProbes,
  fifthAt,
  fifthOf,
  type Hour,
  hourAt,
  hoursOf,
  longName,
  probeAt,
  shareOf,
  shortName,
  withOwn,
} from "./hours.ts";

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

const hour = (index: number): Hour => ({
  index,
  start: index * 3605 * RATE,
  stop: (index * 3605 + 3600) * RATE,
  clockS: 0,
});
const inS = ({ start, stop }: { start: number; stop: number }) => [start / RATE, stop / RATE];

test("an hour has five fifths of twelve minutes that meet and miss nothing", () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((number) => inS(fifthOf(hour(1), number))),
    [
      [3605, 4325],
      [4325, 5045],
      [5045, 5765],
      [5765, 6485],
      [6485, 7205],
    ],
  );
});

test("a probe lasts two seconds and stays in its fifth at both ends of its share", () => {
  assert.deepEqual(inS(probeAt(hour(0), 2, 0, RATE)), [720, 722]);
  assert.deepEqual(inS(probeAt(hour(0), 2, 1, RATE)), [1438, 1440]);
  assert.deepEqual(inS(probeAt(hour(0), 5, 0.5, RATE)), [2880 + 359, 2880 + 361]);
});

test("in an hour too short for it a probe is as long as its fifth", () => {
  const short = { index: 0, start: 0, stop: 5 * RATE, clockS: null };
  assert.deepEqual(inS(probeAt(short, 3, 0.7, RATE)), [2, 3]);
  assert.equal(shareOf(short, 3, 250, RATE), 0);
});

test("the share of a place gives that place back, to a ten-thousandth of the fifth", () => {
  const share = shareOf(hour(2), 4, hour(2).start + 2400 * RATE, RATE);
  const back = probeAt(hour(2), 4, share, RATE);
  assert.equal(share, 0.3343);
  assert.ok(Math.abs(back.start / RATE - (2 * 3605 + 2400)) < 0.05);
});

test("a probe that is moved out of its fifth stops at the edge", () => {
  assert.equal(shareOf(hour(0), 1, 3000 * RATE, RATE), 1);
  assert.equal(shareOf(hour(0), 3, 0, RATE), 0);
});

test("every sample of an hour lies in one of its fifths", () => {
  assert.deepEqual(
    [0, 719, 720, 3599, 3600, 9999].map((second) => fifthAt(hour(0), second * RATE)),
    [1, 1, 2, 5, 5, 5],
  );
});

test("what the rater has moved stands where it was put, and the rest where the plan says", () => {
  const plan = [
    [0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1],
  ];
  const probes = allProbes([hour(0), hour(1)], plan, [{ hour: 1, number: 2, share: 0 }], RATE);
  assert.equal(probes.length, 10);
  assert.deepEqual(inS(probes[0] as never), [0, 2]);
  assert.deepEqual(inS(probes[6] as never), [4325, 4327]);
  assert.deepEqual(inS(probes[7] as never), [5763, 5765]);
  assert.equal(probes[6]?.id, "1.2");
});

test("where the rater puts them there are as many probes as have been put", () => {
  assert.deepEqual(
    allProbes([hour(0)], [], [{ hour: 0, number: 4, share: 0.5 }], RATE).map(({ id }) => id),
    ["0.4"],
  );
});

test("a recording of more hours than the plan has goes through it again", () => {
  assert.deepEqual(inS(allProbes([hour(0), hour(1)], [[0.5, 0, 0, 0, 0]], [], RATE)[5] as never), [
    3605 + 359,
    3605 + 361,
  ]);
});

test("a probe that is moved twice is kept once", () => {
  const once = withOwn([{ hour: 3, number: 1, share: 0.2 }], { hour: 0, number: 5, share: 0.1 });
  assert.deepEqual(withOwn(once, { hour: 3, number: 1, share: 0.9 }), [
    { hour: 0, number: 5, share: 0.1 },
    { hour: 3, number: 1, share: 0.9 },
  ]);
});
