import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPlace } from "./grid.ts";

const exists = [
  [true, false, true],
  [true, true, true],
  [false, true, true],
];

test("an arrow leads to the next cell, over a gap", () => {
  assert.deepEqual(nextPlace("ArrowRight", { row: 0, column: 0 }, exists), { row: 0, column: 2 });
  assert.deepEqual(nextPlace("ArrowDown", { row: 0, column: 2 }, exists), { row: 1, column: 2 });
  assert.deepEqual(nextPlace("ArrowUp", { row: 2, column: 1 }, exists), { row: 1, column: 1 });
});

test("at the edge, and where only gaps follow, nothing moves", () => {
  assert.equal(nextPlace("ArrowUp", { row: 0, column: 0 }, exists), null);
  assert.equal(nextPlace("ArrowDown", { row: 1, column: 0 }, exists), null);
  assert.equal(nextPlace("ArrowLeft", { row: 2, column: 1 }, exists), null);
});

test("Home and End lead to the first and last cell that exist in the row", () => {
  assert.deepEqual(nextPlace("Home", { row: 2, column: 2 }, exists), { row: 2, column: 1 });
  assert.deepEqual(nextPlace("End", { row: 0, column: 0 }, exists), { row: 0, column: 2 });
});

test("any other key means nothing here", () => {
  assert.equal(nextPlace("a", { row: 0, column: 0 }, exists), null);
});
