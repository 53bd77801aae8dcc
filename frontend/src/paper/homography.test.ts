import assert from "node:assert/strict";
import { test } from "node:test";
import { type Corners, type Point, straighten } from "./homography.ts";

const UPRIGHT: Corners = [
  { x: 100, y: 700 },
  { x: 700, y: 700 },
  { x: 700, y: 100 },
  { x: 100, y: 100 },
];
// As a camera sees a sheet that lies turned and tilted: a projective map with all nine numbers different from an affine one.
const camera = ({ x, y }: Point): Point => {
  const depth = 1 + 0.35 * x - 0.2 * y;
  return { x: (320 + 480 * x + 90 * y) / depth, y: (910 - 60 * x - 640 * y) / depth };
};
const TILTED: Corners = [
  camera({ x: 0, y: 0 }),
  camera({ x: 1, y: 0 }),
  camera({ x: 1, y: 1 }),
  camera({ x: 0, y: 1 }),
];

function near(found: Point | undefined, wanted: Point, within = 1e-9): void {
  assert.ok(found);
  assert.ok(Math.hypot(found.x - wanted.x, found.y - wanted.y) < within, `${found.x}, ${found.y}`);
}

test("an upright scan is read like a ruler", () => {
  near(straighten(UPRIGHT)?.({ x: 250, y: 550 }), { x: 0.25, y: 0.25 });
  near(straighten(UPRIGHT)?.({ x: 700, y: 400 }), { x: 1, y: 0.5 });
});

test("the four corners are the four corners of the square, however the sheet lies", () => {
  const square = straighten(TILTED);
  const ends = [
    { x: 0, y: 0 },
    { x: 1, y: 0 },
    { x: 1, y: 1 },
    { x: 0, y: 1 },
  ];
  ends.forEach((end, index) => {
    near(square?.(TILTED[index] as Point), end);
  });
});

test("a photograph at an angle gives back where the crosses were drawn", () => {
  const square = straighten(TILTED);
  for (const drawn of [
    { x: 0.741, y: 0.219 },
    { x: 0.191, y: 0.861 },
    { x: 0.5, y: 0.5 },
    { x: 1.02, y: -0.01 },
  ])
    near(square?.(camera(drawn)), drawn);
});

test("a tilt is more than a stretch: reading it as one would be wrong by more than a tenth", () => {
  const at = camera({ x: 0.5, y: 0.5 });
  const [from, to] = [TILTED[0].x, TILTED[1].x];
  assert.ok(Math.abs((at.x - from) / (to - from) - 0.5) > 0.1);
});

test("a sheet on its side or upside down is read, a mirror image is not", () => {
  const [a, b, c, d] = UPRIGHT;
  near(straighten([c, d, a, b])?.({ x: 250, y: 550 }), { x: 0.75, y: 0.75 });
  assert.equal(straighten([a, d, c, b]), null);
});

test("corners in a line, in one place or in a knot make no frame", () => {
  const [a, b, c, d] = UPRIGHT;
  assert.equal(straighten([a, { x: 400, y: 400 }, c, d]), null);
  assert.equal(straighten([a, a, c, d]), null);
  assert.equal(straighten([a, c, b, d]), null);
});
