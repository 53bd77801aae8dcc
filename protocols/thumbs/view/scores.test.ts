import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNumber, formatSum, hasOnlyBegun, isComplete, overall, readScale, scoreValues } from "./scores.ts";

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
