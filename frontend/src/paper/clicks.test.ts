import assert from "node:assert/strict";
import { test } from "node:test";
import { Clicks } from "./clicks.ts";

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
