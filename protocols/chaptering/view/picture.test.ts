import assert from "node:assert/strict";
import { test } from "node:test";
import { placesOf } from "./picture.ts";

const labels = (...at: number[]) => at.map((each, index) => ({ at: each, text: `${index + 2} Night falls` }));

const lanesOf = (all: ReturnType<typeof labels>) => placesOf(all, 1000).map(({ lane }) => lane);

test("labels that have room stand in one row", () => {
  assert.deepEqual(lanesOf(labels(0, 200, 400)), [0, 0, 0]);
});

test("labels of marks close together stand in different rows", () => {
  assert.deepEqual(lanesOf(labels(0, 10, 20, 200)), [0, 1, 2, 0]);
});

test("a line does not cross a label of a row below", () => {
  const long = { at: 10, text: "3 A rather long title" };
  assert.deepEqual(lanesOf([...labels(0), long, { at: 120, text: "4 Lunch" }]), [0, 1, 2]);
});

test("where every row is taken a label goes to the one that is free first", () => {
  assert.deepEqual(lanesOf(labels(0, 1, 2, 3, 4)), [0, 1, 2, 3, 0]);
});

test("a label that the picture would cut stands to the left of its line, below what stands there", () => {
  assert.deepEqual(placesOf(labels(0, 300, 380), 400), [
    { lane: 0, flipped: false },
    { lane: 0, flipped: true },
    { lane: 1, flipped: true },
  ]);
});
