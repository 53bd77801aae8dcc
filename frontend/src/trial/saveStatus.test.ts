import assert from "node:assert/strict";
import { test } from "node:test";
import { describe, overlaid } from "./saveStatus.ts";
import type { Texts } from "./texts.ts";

const texts = new Proxy({} as Texts, {
  get: (_, key) => ({ saved_at: "Saved {time}", kept: "Kept here ({count})" })[String(key)] ?? String(key),
});
const clock = (iso: string) => iso.slice(11, 19);

test("the pill has four states, and only the last two say what to do", () => {
  const shown = [
    describe({ kind: "saved", at: "2026-01-01T14:02:11Z" }, texts, clock),
    describe({ kind: "saving", waiting: 1 }, texts, clock),
    describe({ kind: "kept", waiting: 3 }, texts, clock),
    describe({ kind: "problem", reason: "session", waiting: 3 }, texts, clock),
  ];
  assert.deepEqual(shown, [
    { state: "saved", text: "Saved 14:02:11", trouble: "" },
    { state: "saving", text: "saving", trouble: "" },
    { state: "kept", text: "Kept here (3)", trouble: "trouble_kept" },
    { state: "problem", text: "not_saved", trouble: "trouble_session" },
  ]);
});

test("before the first answer nothing claims a time", () => {
  assert.equal(describe({ kind: "saved", at: null }, texts, clock).text, "saved");
});

test("what was done after the last save is not called saved, and trouble stays trouble", () => {
  assert.equal(describe(overlaid({ kind: "saved", at: "2026-01-01T14:02:11Z" }, 1), texts, clock).state, "saving");
  assert.equal(describe(overlaid({ kind: "saved", at: null }, 0), texts, clock).state, "saved");
  assert.equal(describe(overlaid({ kind: "kept", waiting: 3 }, 1), texts, clock).state, "kept");
});
