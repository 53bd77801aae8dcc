import assert from "node:assert/strict";
import { test } from "node:test";
import {
  boundariesOf,
  divisionOf,
  Editing,
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

const begin = () => new Editing(divisionOf({ boundaries: [{ at_s: 10, title: "Rain" }] }), () => 60);
const timesOf = (editing: Editing) => boundariesOf(editing.division).map(({ at_s }) => at_s);

test("a new mark is chosen, and said with its number and moment", () => {
  const editing = begin();
  assert.deepEqual(editing.addAt(30), { says: "marked", n: 3, atS: 30, changed: true });
  assert.equal(editing.mark?.atS, 30);
});

test("what cannot be marked changes nothing and says why", () => {
  const editing = begin();
  assert.equal(editing.addAt(0).says, "no_place");
  assert.deepEqual({ ...editing.addAt(10), n: 2 }, { says: "taken", n: 2, atS: 10, changed: false });
  assert.equal(editing.mark?.atS, 10);
  assert.equal(editing.canUndo, false);
});

test("one goes from mark to mark, from the chosen one or from a moment", () => {
  const editing = begin();
  editing.addAt(30);
  assert.equal(editing.step(0, -1).atS, 10);
  assert.equal(editing.step(59, -1).says, "none_before");
  editing.choose(null);
  assert.equal(editing.step(20, 1).atS, 30);
});

test("undo and redo lead to the beginning and back, and a mark that is gone is no longer chosen", () => {
  const editing = begin();
  editing.addAt(30);
  editing.moveTo("m1", 12);
  editing.remove("m1");
  assert.deepEqual(timesOf(editing), [30]);
  editing.undo();
  assert.deepEqual(timesOf(editing), [12, 30]);
  editing.undo();
  editing.choose("m2");
  editing.undo();
  assert.deepEqual(timesOf(editing), [10]);
  assert.equal(editing.chosen, null);
  assert.equal(editing.undo(), null);
  for (let step = 0; step < 3; step += 1) editing.redo();
  assert.deepEqual(timesOf(editing), [30]);
  assert.equal(editing.redo(), null);
});

test("a key that is held and letters in one field are one step each", () => {
  const editing = begin();
  for (const at of [10.1, 10.2, 10.3]) editing.moveTo("m1", at, true);
  editing.retitle("m1", "R");
  editing.retitle("m1", "Ri");
  editing.rest();
  editing.retitle("m1", "River");
  editing.undo();
  assert.equal(editing.division.marks[0]?.title, "Ri");
  editing.undo();
  assert.equal(editing.division.marks[0]?.title, "Rain");
  editing.undo();
  assert.deepEqual(timesOf(editing), [10]);
});

test("the chosen mark goes to the cursor, unless a boundary cannot lie there or none is chosen", () => {
  const editing = begin();
  assert.equal(editing.moveHere(20).says, "chosen_none");
  editing.choose("m1");
  assert.equal(editing.moveHere(60).says, "no_place");
  assert.equal(editing.moveHere(20).says, "moved");
  assert.deepEqual(timesOf(editing), [20]);
});
