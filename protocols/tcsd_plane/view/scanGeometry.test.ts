import assert from "node:assert/strict";
import { test } from "node:test";
import { Clicks, type Corners, type Point, straighten } from "./scanGeometry.ts";

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

const FRAME = [
  { x: 10, y: 110 },
  { x: 110, y: 110 },
  { x: 110, y: 10 },
  { x: 10, y: 10 },
];

function framed(slots = ["s1", "s2"]): Clicks {
  const clicks = new Clicks(slots);
  for (const corner of FRAME) assert.equal(clicks.click(corner), "taken");
  return clicks;
}

test("four corners come first, then each cross in its turn", () => {
  const clicks = new Clicks(["s1", "s2"]);
  assert.deepEqual(clicks.next, { corner: 0 });
  FRAME.forEach((corner, index) => {
    assert.deepEqual(clicks.next, { corner: index });
    clicks.click(corner);
  });
  assert.deepEqual(clicks.next, { slot: "s1" });
  assert.equal(clicks.click({ x: 60, y: 85 }), "taken");
  assert.deepEqual(clicks.place({ x: 60, y: 85 }), { x: 0.5, y: 0.25 });
  assert.equal(clicks.click({ x: 20, y: 20 }), "taken");
  assert.equal(clicks.next, null);
  assert.equal(clicks.click({ x: 20, y: 20 }), "done");
});

test("a cross that is chosen is clicked again, and keeps one place", () => {
  const clicks = framed();
  clicks.click({ x: 60, y: 60 });
  clicks.choose("s1");
  assert.deepEqual(clicks.next, { slot: "s1" });
  clicks.click({ x: 30, y: 30 });
  assert.deepEqual(clicks.crosses, [{ slot: "s1", at: { x: 30, y: 30 } }]);
  assert.deepEqual(clicks.next, { slot: "s2" });
});

test("a little outside counts as the edge, further out is refused and nothing moves on", () => {
  const clicks = framed();
  assert.deepEqual(clicks.place({ x: 112, y: 60 }), { x: 1, y: 0.5 });
  assert.equal(clicks.click({ x: 130, y: 60 }), "outside");
  assert.deepEqual(clicks.next, { slot: "s1" });
});

test("corners that make no frame are asked for again", () => {
  const clicks = new Clicks(["s1"]);
  const outcomes = [FRAME[0], FRAME[3], FRAME[2], FRAME[1]].map((corner) =>
    clicks.click(corner as { x: number; y: number }),
  );
  assert.equal(outcomes.at(-1), "crooked");
  assert.deepEqual(clicks.next, { corner: 0 });
});

test("clicks are taken back one by one, crosses before corners", () => {
  const clicks = framed();
  clicks.click({ x: 60, y: 60 });
  assert.equal(clicks.back(), "s1");
  assert.deepEqual(clicks.next, { slot: "s1" });
  assert.equal(clicks.back(), null);
  assert.deepEqual(clicks.next, { corner: 3 });
  assert.equal(clicks.place({ x: 60, y: 60 }), null);
});
