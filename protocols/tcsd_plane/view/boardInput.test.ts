import assert from "node:assert/strict";
import { test } from "node:test";
import type { Stroke } from "../../../frontend/src/viewer/controls.ts";
import { commandFor } from "./boardInput.ts";

function stroke(key: string, change: Partial<Stroke> = {}): Stroke {
  return { key, repeat: false, shiftKey: false, ctrlKey: false, altKey: false, metaKey: false, ...change };
}

test("arrows step by 0.01, with Shift by 0.05, along their axis", () => {
  assert.deepEqual(commandFor(stroke("ArrowRight"), true), { do: "nudge", axis: "tc", by: 0.01 });
  assert.deepEqual(commandFor(stroke("ArrowLeft", { shiftKey: true }), true), { do: "nudge", axis: "tc", by: -0.05 });
  assert.deepEqual(commandFor(stroke("ArrowUp", { repeat: true }), true), { do: "nudge", axis: "sd", by: 0.01 });
  assert.deepEqual(commandFor(stroke("ArrowDown", { shiftKey: true }), true), { do: "nudge", axis: "sd", by: -0.05 });
});

test("pages leap 0.1 of SD, Home and End go to the ends of TC", () => {
  assert.deepEqual(commandFor(stroke("PageUp"), true), { do: "nudge", axis: "sd", by: 0.1 });
  assert.deepEqual(commandFor(stroke("PageDown"), true), { do: "nudge", axis: "sd", by: -0.1 });
  assert.deepEqual(commandFor(stroke("Home"), true), { do: "nudge", axis: "tc", by: -1 });
  assert.deepEqual(commandFor(stroke("End"), true), { do: "nudge", axis: "tc", by: 1 });
});

test("Enter settles, Backspace and Delete lift, once however long they are held", () => {
  assert.deepEqual(commandFor(stroke("Enter"), true), { do: "settle" });
  for (const key of ["Backspace", "Delete"]) assert.deepEqual(commandFor(stroke(key), true), { do: "lift" });
  assert.equal(commandFor(stroke("Enter", { repeat: true }), true), null);
});

test("S, T and I are letters, and letters can be switched off", () => {
  assert.deepEqual(commandFor(stroke("s"), true), { do: "ask", axis: "sd" });
  assert.deepEqual(commandFor(stroke("T", { shiftKey: true }), true), { do: "ask", axis: "tc" });
  assert.deepEqual(commandFor(stroke("i"), true), { do: "relate" });
  for (const key of ["s", "t", "i"]) assert.equal(commandFor(stroke(key), false), null);
  assert.ok(commandFor(stroke("ArrowUp"), false), "arrows stay");
});

test("with Ctrl, Alt or Meta nothing is meant here", () => {
  for (const modifier of ["ctrlKey", "altKey", "metaKey"] as const)
    for (const key of ["ArrowLeft", "s", "Enter"])
      assert.equal(commandFor(stroke(key, { [modifier]: true }), true), null);
});
