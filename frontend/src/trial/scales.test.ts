import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "./fakePages.ts";
import { sequenceOf } from "./scales.ts";

const sound = { url: "", duration_s: 1, sliced: false };

test("a page plays its sounds once and without silence unless its options say otherwise", () => {
  assert.deepEqual(sequenceOf(pageOf("t", { a: sound, b: sound })), { slots: ["a", "b"], gapS: [0, 0] });
});

test("options say how much silence follows a sound, and how often all of them are played", () => {
  const options = { gap_s: 0.5, rounds: 2, round_gap_s: 1.25 };
  const page = pageOf("t", { a: sound, b: sound }, { options, page: { reference: "a" } });
  const slots = ["a", "b", "a", "b"];
  assert.deepEqual(sequenceOf(page), { slots, gapS: [0.5, 1.25, 0.5, 1.25], reference: "a" });
});
