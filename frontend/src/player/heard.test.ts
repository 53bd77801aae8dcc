import assert from "node:assert/strict";
import { test } from "node:test";
import { heardSeconds, heardToTheEnd, type Presentation, type SlotPresentation, summarise } from "./heard.ts";

function presentation(change: Partial<SlotPresentation> = {}): SlotPresentation {
  return { slot: "a", outcome: "ended", startedAt: 10, endedAt: 12.4, durationS: 2.4, ...change };
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
    48000,
  );
  assert.deepEqual(heard, { plays: 2, heard_ms: 3400, heard_full: true, sample_rate_hz: 48000 });
});

test("a page with two clips was heard when both were", () => {
  const one = summarise([presentation({ slot: "a" })], ["a", "b"], 48000);
  assert.equal(one.heard_full, false);
  const both = summarise([presentation({ slot: "a" }), presentation({ slot: "b" })], ["a", "b"], 48000);
  assert.deepEqual(both, { plays: 1, heard_ms: 4800, heard_full: true, sample_rate_hz: 48000 });
});

test("nothing played is nothing heard", () => {
  assert.deepEqual(summarise([], ["a"], 44100), { plays: 0, heard_ms: 0, heard_full: false, sample_rate_hz: 44100 });
});
