import assert from "node:assert/strict";
import { test } from "node:test";
import type { Heard } from "../outbox/events.ts";
import {
  coveredSeconds,
  heardSeconds,
  heardToTheEnd,
  type Interval,
  type Presentation,
  rangesOf,
  type SlotPresentation,
  summarise,
  withHeard,
} from "./heard.ts";

function presentation(change: Partial<SlotPresentation> = {}): SlotPresentation {
  return { slot: "a", outcome: "ended", startedAt: 10, endedAt: 12.4, durationS: 2.4, stallS: 0, ...change };
}

const CIRCUMSTANCES = { sampleRateHz: 48000, latencyS: 0.02, levelDb: 1.5, answerMs: 812.4 };

/** The figures that say how much was heard. */
function amount({ plays, heard_ms, heard_full }: Heard) {
  return { plays, heard_ms, heard_full };
}

test("a clip that ended by the audio clock was heard to the end", () => {
  assert.equal(heardToTheEnd(presentation()), true);
  assert.equal(heardToTheEnd(presentation({ endedAt: 12.39 })), true, "one block of the clock may be missing");
});

test("a clip that was stopped, voided, or ended before its length by the clock was not", () => {
  const cut: Partial<Presentation>[] = [{ outcome: "stopped" }, { outcome: "voided" }, { endedAt: 12.3 }];
  for (const change of cut) assert.equal(heardToTheEnd(presentation(change)), false);
});

test("heard time lies between nothing and the clip's length", () => {
  assert.equal(heardSeconds(presentation({ endedAt: 9 })), 0);
  assert.equal(heardSeconds(presentation({ endedAt: 99 })), 2.4);
  assert.ok(Math.abs(heardSeconds(presentation({ endedAt: 11 })) - 1) < 1e-9);
});

test("a voided presentation is no play, a stopped one is", () => {
  const heard = summarise(
    [
      presentation({ outcome: "voided", endedAt: 11 }),
      presentation({ outcome: "stopped", endedAt: 11 }),
      presentation(),
    ],
    ["a"],
    CIRCUMSTANCES,
  );
  assert.deepEqual(amount(heard), { plays: 2, heard_ms: 3400, heard_full: true });
});

test("a page with two clips was heard when both were", () => {
  const one = summarise([presentation({ slot: "a" })], ["a", "b"], CIRCUMSTANCES);
  assert.equal(one.heard_full, false);
  const both = summarise([presentation({ slot: "a" }), presentation({ slot: "b" })], ["a", "b"], CIRCUMSTANCES);
  assert.deepEqual(amount(both), { plays: 1, heard_ms: 4800, heard_full: true });
});

test("nothing played is nothing heard", () => {
  assert.deepEqual(amount(summarise([], ["a"], CIRCUMSTANCES)), { plays: 0, heard_ms: 0, heard_full: false });
});

test("the record says by which clock, how loud, how soon, and what came between", () => {
  const voided = presentation({ outcome: "voided", endedAt: 11, stallS: 3, interruption: "hidden" });
  const heard = summarise([voided, presentation({ stallS: 0.25 })], ["a"], CIRCUMSTANCES);
  assert.deepEqual(heard, {
    ...amount(heard),
    sample_rate_hz: 48000,
    started_ms: 10_000,
    ended_ms: 12_400,
    stall_ms: 250,
    interruptions: ["hidden"],
    answer_ms: 812,
    level_db: 1.5,
    latency_ms: 20,
  });
});

const after = (...intervals: Interval[]) =>
  intervals.reduce<Interval[]>((heard, [from, to]) => withHeard(heard, from, to), []);

test("what was heard apart stays apart, in order", () => {
  assert.deepEqual(after([50, 52], [10, 12]), [
    [10, 12],
    [50, 52],
  ]);
});

test("overlapping, touching and nearly touching parts become one", () => {
  assert.deepEqual(after([10, 12], [11, 14]), [[10, 14]]);
  assert.deepEqual(after([10, 12], [12, 14]), [[10, 14]]);
  assert.deepEqual(after([10, 12], [12.2, 14]), [[10, 14]]);
  assert.equal(after([10, 12], [12.5, 14]).length, 2);
});

test("one part can bridge several, and one inside another adds nothing", () => {
  assert.deepEqual(after([10, 12], [20, 22], [30, 32], [11, 31]), [[10, 32]]);
  assert.deepEqual(after([10, 40], [20, 22]), [[10, 40]]);
});

test("a moment too short to be heard is not kept, and the list that was given is not changed", () => {
  const heard: Interval[] = [[1, 2]];
  assert.deepEqual(withHeard(heard, 5, 5.01), [[1, 2]]);
  assert.deepEqual(withHeard(heard, 1.5, 3), [[1, 3]]);
  assert.deepEqual(heard, [[1, 2]]);
});

test("seconds add up, and become samples", () => {
  assert.equal(coveredSeconds(after([0, 2], [10, 13])), 5);
  assert.deepEqual(rangesOf([[1.5, 2]], 44_100), [{ start: 66_150, stop: 88_200 }]);
});
