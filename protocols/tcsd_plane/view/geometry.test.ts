import assert from "node:assert/strict";
import { test } from "node:test";
import {
  armsOf,
  boxOf,
  frameOf,
  MARGIN,
  nearest,
  overlap,
  type Point,
  placeAt,
  placeLabels,
  placeOf,
  pointOf,
} from "./geometry.ts";

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

const SIZE = 560;
const APART = 0.04 * 492; // on the square of a drawing of 560 px

/** How many pixels of numbers lie on other numbers or on crosses. */
function covered(points: readonly Point[]): number {
  const boxes = placeLabels(points, SIZE).map(boxOf);
  const arms = points.flatMap(armsOf);
  const pairs = boxes.flatMap((box, index) => [...boxes.slice(index + 1), ...arms].map((other) => overlap(box, other)));
  return pairs.reduce((sum, area) => sum + area, 0);
}

test("a number stands above right of its cross", () => {
  const [label] = placeLabels([{ x: 100, y: 100 }], SIZE);
  assert.deepEqual(label, { x: 110, y: 90, far: false });
});

test("at the edge it moves inside", () => {
  const [label] = placeLabels([{ x: 555, y: 4 }], SIZE);
  assert.deepEqual(label, { x: 545, y: 14, far: false });
});

test("two crosses 0.04 apart in any direction cover nothing of each other", () => {
  for (let degrees = 0; degrees < 360; degrees += 5) {
    const angle = (degrees * Math.PI) / 180;
    const other = { x: 280 + APART * Math.cos(angle), y: 280 + APART * Math.sin(angle) };
    assert.equal(covered([{ x: 280, y: 280 }, other]), 0, `${degrees} degrees`);
  }
});

test("eight crosses in rows 0.04 apart stay readable", () => {
  const points = Array.from({ length: 8 }, (_, index) => ({
    x: 200 + APART * (index % 3),
    y: 300 + APART * Math.floor(index / 3),
  }));
  assert.equal(covered(points), 0);
});

test("eight crosses in a line 0.04 apart stay readable, along either axis", () => {
  for (const [x, y] of [
    [APART, 0],
    [0, APART],
  ] as const) {
    assert.equal(covered(Array.from({ length: 8 }, (_, index) => ({ x: 100 + x * index, y: 100 + y * index }))), 0);
  }
});

test("numbers of crosses on one point go around it, and the far ones are tied to it", () => {
  const labels = placeLabels(
    Array.from({ length: 8 }, () => ({ x: 280, y: 280 })),
    SIZE,
  );
  assert.equal(new Set(labels.map(({ x, y }) => `${x} ${y}`)).size, 8);
  const boxes = labels.map(boxOf);
  for (const [index, box] of boxes.entries())
    for (const other of boxes.slice(index + 1)) assert.equal(overlap(box, other), 0);
});

test("wherever eight crosses lie in a square of 0.08, every number finds a free place", () => {
  let last = 1;
  const random = () => {
    last = (last * 48_271) % 2_147_483_647; // Park and Miller's generator: the same places in every run
    return last / 2_147_483_647;
  };
  for (let round = 0; round < 300; round += 1) {
    const points = Array.from({ length: 8 }, () => ({ x: 250 + 2 * APART * random(), y: 250 + 2 * APART * random() }));
    assert.equal(covered(points), 0, `round ${round}`);
  }
});
