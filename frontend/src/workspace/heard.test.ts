import assert from "node:assert/strict";
import { test } from "node:test";
import { heardSeconds, type Interval, rangesOf, withHeard } from "./heard.ts";

const after = (...intervals: Interval[]) =>
  intervals.reduce<Interval[]>((heard, [from, to]) => withHeard(heard, from, to), []);

test("what was heard apart stays apart, in order", () => {
  assert.deepEqual(after([50, 52], [10, 12]), [
    [10, 12],
    [50, 52],
  ]);
});

test("overlapping, touching and nearly touching parts become one", () => {
  assert.deepEqual(after([10, 12], [11, 14]), [[10, 14]]);
  assert.deepEqual(after([10, 12], [12, 14]), [[10, 14]]);
  assert.deepEqual(after([10, 12], [12.2, 14]), [[10, 14]]);
  assert.equal(after([10, 12], [12.5, 14]).length, 2);
});

test("one part can bridge several, and one inside another adds nothing", () => {
  assert.deepEqual(after([10, 12], [20, 22], [30, 32], [11, 31]), [[10, 32]]);
  assert.deepEqual(after([10, 40], [20, 22]), [[10, 40]]);
});

test("a moment too short to be heard is not kept, and the list that was given is not changed", () => {
  const heard: Interval[] = [[1, 2]];
  assert.deepEqual(withHeard(heard, 5, 5.01), [[1, 2]]);
  assert.deepEqual(withHeard(heard, 1.5, 3), [[1, 3]]);
  assert.deepEqual(heard, [[1, 2]]);
});

test("seconds add up, and become samples", () => {
  assert.equal(heardSeconds(after([0, 2], [10, 13])), 5);
  assert.deepEqual(rangesOf([[1.5, 2]], 44_100), [{ start: 66_150, stop: 88_200 }]);
});
