import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { digitOf, isShortcut, Keys, type Stroke } from "./keys.ts";

function stroke(change: Partial<Stroke>): Stroke {
  return { code: "", key: "", repeat: false, ctrlKey: false, altKey: false, metaKey: false, ...change };
}

test("digits are told by the key's place, so that AZERTY and the number pad work", () => {
  assert.equal(digitOf("Digit1"), 1);
  assert.equal(digitOf("Numpad5"), 5);
  for (const code of ["KeyA", "F1", "NumpadAdd", "Digit10", ""]) assert.equal(digitOf(code), undefined);
});

test("a held key and a key with a modifier are no shortcuts", () => {
  assert.equal(isShortcut(stroke({ key: "4" }), "other"), true);
  assert.equal(isShortcut(stroke({ key: "4", repeat: true }), "other"), false);
  for (const modifier of ["ctrlKey", "altKey", "metaKey"] as const)
    assert.equal(isShortcut(stroke({ key: "4", [modifier]: true }), "other"), false);
});

test("text fields keep all their keys", () => {
  for (const key of ["4", " ", "Enter", "?"]) assert.equal(isShortcut(stroke({ key }), "text"), false);
});

test("Space and Enter on a button press it, once, and do nothing else", () => {
  assert.equal(isShortcut(stroke({ key: " " }), "button"), false);
  assert.equal(isShortcut(stroke({ key: "Enter" }), "button"), false);
  assert.equal(isShortcut(stroke({ key: "4" }), "button"), true);
});

test("on a radio button Space chooses, as the browser has it, and Enter goes on", () => {
  assert.equal(isShortcut(stroke({ key: " " }), "choice"), false);
  assert.equal(isShortcut(stroke({ key: "Enter" }), "choice"), true);
});

test("a page's own letters come before those of the visit, and are its own no longer than the page", () => {
  const target = Object.assign(new EventTarget(), { querySelector: () => null });
  Object.assign(globalThis, { document: target, HTMLElement: class {} });
  const [visit, page, pressed] = [new Scope(), new Scope(), [] as string[]];
  const keys = new Keys(visit);
  const press = (key: string) => target.dispatchEvent(Object.assign(new Event("keydown"), stroke({ key })));
  keys.onUnused(visit, ({ key }) => Boolean(pressed.push(`visit ${key}`)));
  keys.on(page, ({ key }) => key === "x" && Boolean(pressed.push(`page ${key}`)));
  press("x");
  press("p");
  page.dispose();
  press("x");
  visit.dispose();
  assert.deepEqual(pressed, ["page x", "visit p", "visit x"]);
});
