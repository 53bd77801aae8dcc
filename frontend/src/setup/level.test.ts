import assert from "node:assert/strict";
import { test } from "node:test";
import { gainOf } from "../player/output.ts";
import { levelText, movedBy, withinReach } from "./level.ts";

test("half of full scale at 0 dB, a quarter at the lowest, just under full scale at the highest", () => {
  const gains = [-6, 0, 6].map((level) => gainOf(level).toFixed(3));
  assert.deepEqual(gains, ["0.251", "0.500", "0.998"]);
});

test("keys move by a tenth, with Shift by a half, and to both ends, never beyond", () => {
  assert.equal(movedBy(0, "ArrowRight", false), 0.1);
  assert.equal(movedBy(0.3, "ArrowLeft", true), -0.2);
  assert.equal(movedBy(5.9, "ArrowUp", true), 6);
  assert.equal(movedBy(-6, "ArrowDown", false), -6);
  assert.equal(movedBy(1, "Home", false), -6);
  assert.equal(movedBy(1, "End", false), 6);
  assert.equal(movedBy(1, "x", false), undefined);
});

test("a hundred steps there and back end where they began", () => {
  let level = 0;
  for (let step = 0; step < 100; step += 1) level = movedBy(level, step < 50 ? "ArrowRight" : "ArrowLeft", false) ?? 99;
  assert.equal(level, 0);
});

test("a level is written with its sign, and never as minus nothing", () => {
  assert.deepEqual([1.5, 0, -0.1].map(levelText), ["+1.5 dB", "0.0 dB", "−0.1 dB"]);
  assert.equal(levelText(withinReach(-0.04)), "0.0 dB");
});
