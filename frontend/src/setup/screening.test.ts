import assert from "node:assert/strict";
import { test } from "node:test";
import { choiceOf } from "./screening.ts";

const EARS = ["left", "both", "right"];

function inFrench(): () => void {
  const letters: Record<string, string> = { L: "G", B: "2", R: "D" };
  const scope = globalThis as { django?: unknown };
  scope.django = { gettext: (text: string) => text, pgettext: (_: string, text: string) => letters[text] ?? text };
  return () => {
    scope.django = undefined;
  };
}

test("an ear is chosen by the letter of its name, in either case, and by no other", () => {
  const keys = ["l", "B", "R", "g", "x"];
  assert.deepEqual(
    keys.map((key) => choiceOf(EARS, { key, code: "" })),
    ["left", "both", "right", undefined, undefined],
  );
});

test("the letters are those of the page's language", () => {
  const undo = inFrench();
  assert.deepEqual(
    ["g", "D", "l", "r"].map((key) => choiceOf(EARS, { key, code: "" })),
    ["left", "right", undefined, undefined],
  );
  undo();
});

test("a numbered part is chosen by its digit, wherever the keyboard has it", () => {
  assert.equal(choiceOf(["1", "2", "3"], { key: "é", code: "Digit2" }), "2");
  assert.equal(choiceOf(["1", "2", "3"], { key: "4", code: "Digit4" }), undefined);
});
