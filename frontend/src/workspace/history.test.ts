import assert from "node:assert/strict";
import { test } from "node:test";
import { History, undoKey } from "./history.ts";

function stroke(key: string, held: Partial<KeyboardEvent> = {}) {
  return { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held };
}

test("Ctrl+Z goes back, Ctrl+Shift+Z and Ctrl+Y forward, also with the Mac's key", () => {
  assert.equal(undoKey(stroke("z", { ctrlKey: true })), "undo");
  assert.equal(undoKey(stroke("z", { metaKey: true })), "undo");
  assert.equal(undoKey(stroke("Z", { ctrlKey: true, shiftKey: true })), "redo");
  assert.equal(undoKey(stroke("y", { ctrlKey: true })), "redo");
  for (const other of [stroke("z"), stroke("z", { ctrlKey: true, altKey: true }), stroke("a", { ctrlKey: true })])
    assert.equal(undoKey(other), null);
});

test("undo goes back to the start and redo forward again; a new step ends redo", () => {
  const history = new History(0);
  for (const next of [1, 2, 3]) history.make(next);
  assert.deepEqual([history.undo(), history.undo(), history.now, history.canRedo], [true, true, 1, true]);
  assert.deepEqual([history.redo(), history.now], [true, 2]);
  history.make(9);
  assert.deepEqual(
    [history.canRedo, history.undo(), history.undo(), history.undo(), history.undo(), history.now],
    [false, true, true, true, false, 0],
  );
});

test("steps about the same are undone together until rest() is called; an amended step stays one", () => {
  const history = new History("");
  for (const next of ["a", "ab", "abc"]) history.make(next, "title");
  history.rest();
  history.make("abcd", "title");
  history.undo();
  assert.equal(history.now, "abc");
  history.amend("ab-");
  history.undo();
  assert.deepEqual([history.now, history.canUndo], ["", false]);
});

test("a trail is taken up again by another history", () => {
  const before = new History(0);
  for (const next of [1, 2]) before.make(next);
  before.undo();
  const after = new History(1);
  after.resume(structuredClone(before.trail));
  assert.deepEqual([after.redo(), after.now, after.undo(), after.undo(), after.now], [true, 2, true, true, 0]);
});
