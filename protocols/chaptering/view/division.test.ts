import assert from "node:assert/strict";
import { test } from "node:test";
import {
  boundariesOf,
  divisionOf,
  isInside,
  nextTo,
  numberOf,
  OPENING,
  untitled,
  withMark,
  withMoved,
  without,
  withTitle,
} from "./division.ts";

const DURATION_S = 60;
const START = divisionOf({
  opening: "Hello",
  boundaries: [
    { at_s: 10, title: "Rain" },
    { at_s: 20.5, title: "" },
  ],
});
const times = (division: typeof START) => boundariesOf(division).map(({ at_s }) => at_s);

test("a draft and what is sent of it are the same", () => {
  assert.deepEqual(boundariesOf(START), [
    { at_s: 10, title: "Rain" },
    { at_s: 20.5, title: "" },
  ]);
  assert.deepEqual(divisionOf({}), { opening: "", marks: [] });
});

test("a mark comes in order of time, at the very millisecond, with a name of its own", () => {
  const made = withMark(START, 15.12345, DURATION_S);
  assert.ok(made);
  assert.deepEqual(times(made.division), [10, 15.123, 20.5]);
  assert.equal(numberOf(made.division, made.id), 3);
  assert.equal(new Set(made.division.marks.map(({ id }) => id)).size, 3);
});

test("no boundary lies at 0, at the end, beyond it, or on another one", () => {
  for (const seconds of [0, 0.0004, -1, 60, 61, 10]) assert.equal(withMark(START, seconds, DURATION_S), null);
  assert.ok(isInside(59.999, DURATION_S));
});

test("a mark that is moved keeps its title and passes others", () => {
  const moved = withMoved(START, "m1", 30, DURATION_S);
  assert.deepEqual(boundariesOf(moved), [
    { at_s: 20.5, title: "" },
    { at_s: 30, title: "Rain" },
  ]);
});

test("a mark goes no farther than the ends, and a millisecond on where another one lies", () => {
  assert.deepEqual(times(withMoved(START, "m1", -5, DURATION_S)), [0.001, 20.5]);
  assert.deepEqual(times(withMoved(START, "m2", 100, DURATION_S)), [10, 59.999]);
  assert.deepEqual(times(withMoved(START, "m1", 20.5, DURATION_S)), [20.5, 20.501]);
  assert.deepEqual(times(withMoved(START, "m2", 10, DURATION_S)), [9.999, 10]);
  assert.equal(withMoved(START, "m1", 10, DURATION_S), START);
});

test("titles belong to chapters, the first included", () => {
  assert.deepEqual(untitled(START), [3]);
  const named = withTitle(withTitle(START, "m2", "Birds"), OPENING, " ");
  assert.deepEqual(untitled(named), [1]);
  assert.equal(withTitle(START, "m1", "x".repeat(400)).marks[0]?.title.length, 300);
});

test("the nearest mark before or after a moment is found, never the one at it", () => {
  assert.equal(nextTo(START, 10, 1)?.id, "m2");
  assert.equal(nextTo(START, 20.5, -1)?.id, "m1");
  assert.equal(nextTo(START, 10, -1), undefined);
  assert.equal(nextTo(without(START, "m2"), 10, 1), undefined);
});
