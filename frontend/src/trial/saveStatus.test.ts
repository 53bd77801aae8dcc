import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, overlaid } from "./saveStatus.ts";

const clock = (iso: string) => iso.slice(11, 16);

test("the pill has four states, and only the last two say what to do", () => {
  const shown = [
    describe({ kind: "saved", at: "2026-01-01T14:02:11Z" }, clock),
    describe({ kind: "saving", waiting: 1 }, clock),
    describe({ kind: "kept", waiting: 3 }, clock),
    describe({ kind: "problem", reason: "session", waiting: 3 }, clock),
  ];
  assert.deepEqual(
    shown.map(({ state, text }) => [state, text]),
    [
      ["saved", "Saved 14:02"],
      ["saving", "Saving…"],
      ["kept", "3 answers waiting to send"],
      ["problem", "Not saved – see below"],
    ],
  );
  const [saved, saving, kept, problem] = shown.map(({ trouble }) => trouble);
  assert.deepEqual([saved, saving], ["", ""]);
  assert.match(kept ?? "", /^The server cannot be reached\. Your answers are kept/);
  assert.match(problem ?? "", /^This browser no longer holds your place\./);
});

test("before the first answer nothing is called saved, and after a reload no time is claimed", () => {
  assert.equal(describe({ kind: "saved", at: null }, clock, false).text, "");
  assert.equal(describe({ kind: "saved", at: null }, clock, true).text, "Saved");
});

test("one answer waits in the singular", () => {
  assert.equal(describe({ kind: "kept", waiting: 1 }, clock).text, "1 answer waiting to send");
});

test("what was done after the last save is not called saved, and trouble stays trouble", () => {
  assert.equal(describe(overlaid({ kind: "saved", at: "2026-01-01T14:02:11Z" }, 1), clock).state, "saving");
  assert.equal(describe(overlaid({ kind: "saved", at: null }, 0), clock).state, "saved");
  assert.equal(describe(overlaid({ kind: "kept", waiting: 3 }, 1), clock).state, "kept");
});
