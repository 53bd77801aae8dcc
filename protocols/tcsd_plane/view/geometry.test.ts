import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf, MARGIN, nearest, placeAt, placeOf, pointOf } from "./geometry.ts";

const FRAME = frameOf(568); // 500 px between the origin and the maxima

test("the square lies between the margins: the origin bottom left, TC to the right, SD upwards", () => {
  assert.deepEqual(FRAME, { size: 568, side: 500, left: MARGIN.before, top: MARGIN.after });
  assert.deepEqual(pointOf({ tc: 0, sd: 0 }, FRAME), { x: 22, y: 546 });
  assert.deepEqual(pointOf({ tc: 1, sd: 1 }, FRAME), { x: 522, y: 46 });
  assert.deepEqual(pointOf({ tc: 0.2, sd: 0.75 }, FRAME), { x: 122, y: 171 });
});

test("a point becomes a place with four decimals, and back within a twentieth of a pixel", () => {
  assert.deepEqual(placeAt({ x: 122, y: 196 }, FRAME), { tc: 0.2, sd: 0.7 });
  assert.deepEqual(placeAt({ x: 100.123, y: 200.456 }, FRAME), { tc: 0.1562, sd: 0.6911 });
  const back = pointOf(placeAt({ x: 100.123, y: 200.456 }, FRAME), FRAME);
  assert.ok(Math.abs(back.x - 100.123) < 0.05 && Math.abs(back.y - 200.456) < 0.05);
});

test("what lies outside sticks to the maximum or to zero", () => {
  assert.deepEqual(placeAt({ x: 560, y: 3 }, FRAME), { tc: 1, sd: 1 });
  assert.deepEqual(placeAt({ x: -40, y: 900 }, FRAME), { tc: 0, sd: 0 });
  assert.deepEqual(placeOf(0.30000000000000004, 1.1), { tc: 0.3, sd: 1 });
});

test("a place that is not laid out yet has a frame nevertheless", () => {
  assert.equal(frameOf(0).side, 1);
});

test("the nearest within reach is meant, also of two that are 0.04 apart", () => {
  const points = new Map([
    ["s1", { x: 100, y: 100 }],
    ["s2", { x: 120, y: 100 }],
  ]);
  assert.equal(nearest(points, { x: 108, y: 100 }, 12, "s2"), "s1");
  assert.equal(nearest(points, { x: 111, y: 104 }, 12, "s1"), "s2");
  assert.equal(nearest(points, { x: 100, y: 113 }, 12, "s1"), null);
});

test("of crosses on one point the chosen one is meant, else the topmost", () => {
  const here = { x: 50, y: 50 };
  const points = new Map(["s1", "s2", "s3"].map((token) => [token, here]));
  assert.equal(nearest(points, here, 12, "s2"), "s2");
  assert.equal(nearest(points, here, 12, "s1"), "s1");
  assert.equal(nearest(points, here, 12, null), "s3");
});
