import assert from "node:assert/strict";
import { test } from "node:test";
import { boundariesOf, divisionOf } from "./division.ts";
import { Editing } from "./editing.ts";

const begin = () => new Editing(divisionOf({ boundaries: [{ at_s: 10, title: "Rain" }] }), () => 60);
const times = (editing: Editing) => boundariesOf(editing.division).map(({ at_s }) => at_s);

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

test("undo and redo lead to the beginning and back, and let go of a mark that is gone", () => {
  const editing = begin();
  editing.addAt(30);
  editing.moveTo("m1", 12);
  editing.remove("m1");
  assert.deepEqual(times(editing), [30]);
  editing.undo();
  assert.deepEqual(times(editing), [12, 30]);
  editing.undo();
  editing.choose("m2");
  editing.undo();
  assert.deepEqual(times(editing), [10]);
  assert.equal(editing.chosen, null);
  assert.equal(editing.undo(), null);
  for (let step = 0; step < 3; step += 1) editing.redo();
  assert.deepEqual(times(editing), [30]);
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
  assert.deepEqual(times(editing), [10]);
});

test("the chosen mark goes to the cursor, unless a boundary cannot lie there or none is chosen", () => {
  const editing = begin();
  assert.equal(editing.moveHere(20).says, "chosen_none");
  editing.choose("m1");
  assert.equal(editing.moveHere(60).says, "no_place");
  assert.equal(editing.moveHere(20).says, "moved");
  assert.deepEqual(times(editing), [20]);
});
