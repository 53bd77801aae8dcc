import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import {
  formatNumber,
  formatSum,
  hasOnlyBegun,
  isComplete,
  overall,
  PageAnswers,
  readScale,
  scoreValues,
} from "./scores.ts";

test("scores go from 1 to 5 in halves or whole numbers", () => {
  assert.deepEqual(scoreValues(1), [1, 2, 3, 4, 5]);
  assert.deepEqual(scoreValues(0.5), [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]);
});

test("what is typed is read with either decimal sign, and judged", () => {
  const precision = (text: string, step = 0.5) => readScale("PRECISION", text, step);
  assert.deepEqual(precision("3,5"), { value: 3.5 });
  assert.deepEqual(precision(" 4 "), { value: 4 });
  assert.deepEqual(precision(""), { value: null });
  assert.deepEqual(precision("3.5", 1), { problem: "off_step" });
  assert.deepEqual(precision("3.25"), { problem: "off_step" });
  assert.deepEqual(precision("0"), { problem: "out_of_range" });
  assert.deepEqual(precision("-4"), { problem: "out_of_range" });
  for (const text of ["four", "1e1", "--1", "4 5", "#REF!"])
    assert.deepEqual(precision(text), { problem: "no_number" });
});

test("a penalty is 0 or negative, and a positive one is never taken as it stands", () => {
  const fluency = (text: string) => readScale("FLUENCY", text, 0.5);
  for (const text of ["0", "-0", "0.0"]) assert.ok(Object.is((fluency(text) as { value: number }).value, 0));
  for (const text of ["-0.3", "\u22120,3", "\u2013.3"]) assert.deepEqual(fluency(text), { value: -0.3 });
  assert.deepEqual(fluency("-2"), { value: -2 });
  assert.deepEqual(fluency("0.5"), { problem: "positive", meant: -0.5 });
  assert.deepEqual(fluency("3"), { problem: "out_of_range" });
  assert.deepEqual(fluency("-2.1"), { problem: "out_of_range" });
  assert.deepEqual(fluency("-0.25"), { problem: "off_step" });
});

test("penalties are added, and the sum says so", () => {
  const numbers = { PRECISION: 4, RECALL: 2, FLUENCY: -0.1, CONCISENESS: -0.5, IRRELEVANCE: 0 };
  assert.equal(overall(numbers), 2.4);
  assert.equal(formatSum(numbers), "(4 + 2) / 2 \u2212 0.1 \u2212 0.5 \u2212 0");
  const worst = { PRECISION: 1, RECALL: 1, FLUENCY: -2, CONCISENESS: -2, IRRELEVANCE: -2 };
  assert.equal(formatNumber(overall(worst)), "\u22125");
  assert.equal(isComplete({ ...numbers, RECALL: undefined } as never), false);
  assert.equal(isComplete(numbers), true);
});

test("a number that has only begun is told from one that is wrong", () => {
  for (const text of ["", "-", "\u2212", ".", "-,"]) assert.equal(hasOnlyBegun(text), true);
  for (const text of ["-0", "x", "--", "0."]) assert.equal(hasOnlyBegun(text), false);
});

function answers(draft: Json = null, synthesised = true): PageAnswers {
  return new PageAnswers({ page: { slots: ["clip", "c1", "c2"], step: 0.5, synthesised }, draft });
}

test("nothing is set beforehand, and zero is an answer", () => {
  const page = answers();
  assert.equal(page.missing.length, 11);
  page.setNoPenalties("c1");
  assert.deepEqual(page.missingOf("c1"), ["PRECISION", "RECALL"]);
  assert.deepEqual(page.numbers("c1"), { FLUENCY: 0, CONCISENESS: 0, IRRELEVANCE: 0 });
  page.set("c1", "FLUENCY", null);
  assert.deepEqual(page.missingOf("c1"), ["PRECISION", "RECALL", "FLUENCY"]);
});

test("the answer about the clip is asked only where the test asks it, and no is an answer", () => {
  const page = answers({ captions: {} });
  assert.deepEqual(page.missing.at(-1), { slot: "clip", scale: "SYNTHESISED" });
  page.synthesised = false;
  assert.ok(page.missing.every(({ scale }) => scale !== "SYNTHESISED"));
  assert.ok(answers(null, false).missing.every(({ scale }) => scale !== "SYNTHESISED"));
});

test("what was sent comes back as it was", () => {
  const page = answers();
  page.set("c2", "PRECISION", 3.5);
  page.setComment("c2", "said twice");
  page.synthesised = true;
  const sent = page.payload(2, false);
  assert.deepEqual(sent, {
    captions: { c1: {}, c2: { PRECISION: 3.5, comment: "said twice" } },
    synthesised: true,
    listened: { plays: 2 },
    finished: false,
  });
  assert.deepEqual(answers(sent as unknown as Json).payload(2, false), sent);
  page.setComment("c2", "");
  assert.deepEqual(page.payload(2, false).captions.c2, { PRECISION: 3.5 });
});

test("an answer from elsewhere that holds null is not taken for a number", () => {
  assert.deepEqual(answers({ captions: { c1: { FLUENCY: null, comment: "" } } }).payload(0, true).captions.c1, {});
});
