import assert from "node:assert/strict";
import { test } from "node:test";
import { wayBack } from "./wayback.ts";

function stroke(key: string, held: Partial<KeyboardEvent> = {}) {
  return { key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held };
}

test("Ctrl+Z goes back, Ctrl+Shift+Z and Ctrl+Y forward, also with the Mac's key", () => {
  assert.equal(wayBack(stroke("z", { ctrlKey: true })), "undo");
  assert.equal(wayBack(stroke("z", { metaKey: true })), "undo");
  assert.equal(wayBack(stroke("Z", { ctrlKey: true, shiftKey: true })), "redo");
  assert.equal(wayBack(stroke("y", { ctrlKey: true })), "redo");
  for (const other of [stroke("z"), stroke("z", { ctrlKey: true, altKey: true }), stroke("a", { ctrlKey: true })])
    assert.equal(wayBack(other), null);
});
