import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFor, type Place, type Stroke } from "./controls.ts";

const stroke = (key: string, change: Partial<Stroke> = {}): Stroke => ({
  key,
  repeat: false,
  shiftKey: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  ...change,
});
const at = (place: Place, key: string, change: Partial<Stroke> = {}) => commandFor(stroke(key, change), place, true);

test("keys mean what the sheet says", () => {
  assert.equal(at("other", " "), "toggle");
  assert.equal(at("other", "Enter"), "play");
  assert.equal(at("other", "ArrowLeft"), "left");
  assert.equal(at("other", "ArrowLeft", { shiftKey: true }), "select-left");
  assert.equal(at("other", "E", { shiftKey: true }), "whole");
  assert.equal(at("other", "?", { shiftKey: true }), "sheet");
  assert.equal(at("other", "k"), null);
});

test("letters are only those that lie in the same place on QWERTY, QWERTZ and AZERTY", () => {
  for (const letter of "aqwzym") assert.equal(at("other", letter), null);
});

test("the browser keeps its own shortcuts", () => {
  for (const modifier of ["ctrlKey", "altKey", "metaKey"] as const)
    for (const key of ["1", "e", "ArrowLeft", "+", " "]) assert.equal(at("other", key, { [modifier]: true }), null);
});

test("in a field one types, and only Esc is heard", () => {
  for (const key of [" ", "e", "ArrowLeft", "Enter", "-"]) assert.equal(at("text", key), null);
  assert.equal(at("text", "Escape"), "stop");
});

test("a button is pressed by Enter and Space, a slider moves by its own keys", () => {
  assert.equal(at("button", " "), null);
  assert.equal(at("button", "Enter"), null);
  assert.equal(at("button", "e"), "whole");
  for (const key of ["ArrowLeft", "PageUp", "Home", "End"]) assert.equal(at("slider", key), null);
  assert.equal(at("slider", " "), "toggle");
});

test("held down, arrows and zoom go on and Play does not flicker", () => {
  assert.equal(at("other", "ArrowRight", { repeat: true }), "right");
  assert.equal(at("other", "+", { repeat: true }), "zoom-in");
  assert.equal(at("other", " ", { repeat: true }), null);
  assert.equal(at("other", "l", { repeat: true }), null);
});

test("letters and signs can be switched off; Space, arrows and Esc stay", () => {
  const off = (key: string) => commandFor(stroke(key), "other", false);
  for (const key of ["e", "l", "+", "?"]) assert.equal(off(key), null);
  assert.deepEqual([" ", "ArrowLeft", "Escape"].map(off), ["toggle", "left", "stop"]);
});
