import assert from "node:assert/strict";
import { test } from "node:test";
import { nudgeOf } from "./controls.ts";

const stroke = (key: string, held: Partial<Record<"ctrlKey" | "metaKey" | "altKey" | "shiftKey", boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

test("an arrow is a tenth of a second, with Shift a second", () => {
  assert.equal(nudgeOf(stroke("ArrowLeft")), -0.1);
  assert.equal(nudgeOf(stroke("ArrowRight", { shiftKey: true })), 1);
  assert.equal(nudgeOf(stroke("ArrowUp")), null);
});
