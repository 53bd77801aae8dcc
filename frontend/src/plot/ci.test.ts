import assert from "node:assert/strict";
import { test } from "node:test";
import { axisFor, byScale, frameFor, layout, type ResultRow, tickValues } from "./ci.ts";
import { figures } from "./draw.ts";

function row(change: Partial<ResultRow> = {}): ResultRow {
  return {
    condition: "A",
    scale: "QUALITY",
    n_votes: 8,
    n_listeners: 2,
    mos: 3,
    sd: 0.5,
    ci_low: 2.5,
    ci_high: 3.5,
    ...change,
  };
}

const frame = { width: 500, left: 50, right: 50, rowHeight: 40, axisHeight: 20 };
const axis = { low: 1, high: 5 };

test("the ends and the middle of the scale lie at the ends and the middle of the plot", () => {
  const plot = layout([row({ mos: 1 }), row({ mos: 3 }), row({ mos: 5 })], axis, frame);
  assert.deepEqual(
    plot.marks.map(({ x, y }) => [x, y]),
    [
      [50, 20],
      [250, 60],
      [450, 100],
    ],
  );
  assert.equal(plot.height, 140);
});

test("whiskers span the interval and are cut, without a cap, where they leave the scale", () => {
  const plot = layout([row(), row({ mos: 4.5, ci_low: 3, ci_high: 6 })], axis, frame);
  assert.deepEqual(plot.marks[0]?.whisker, { x1: 200, x2: 300, capLow: true, capHigh: true });
  assert.deepEqual(plot.marks[1]?.whisker, { x1: 250, x2: 450, capLow: true, capHigh: false });
});

test("one listener alone has a dot and no whisker", () => {
  const plot = layout([row({ ci_low: null, ci_high: null })], axis, frame);
  assert.equal(plot.marks[0]?.whisker, null);
});

test("the axis is the scale's own and never starts at zero for its own sake", () => {
  assert.deepEqual(axisFor([row({ mos: 4.2 })]), { low: 1, high: 5 });
  assert.deepEqual(axisFor([row({ mos: -1.5 }), row({ mos: 71 })]), { low: -2, high: 71 });
  assert.deepEqual(axisFor([]), { low: 1, high: 5 });
  assert.deepEqual(axisFor([row({ mos: 42 })], { low: 0, high: 100 }), { low: 0, high: 100 });
});

test("ticks are round numbers, few enough to read", () => {
  assert.deepEqual(tickValues({ low: 1, high: 5 }), [1, 2, 3, 4, 5]);
  assert.deepEqual(tickValues({ low: 0, high: 100 }), [0, 20, 40, 60, 80, 100]);
  assert.ok(tickValues({ low: -5, high: 71 }).length <= 9);
});

test("a narrow plot still leaves more than half of its width to the data", () => {
  const { width, left, right } = frameFor(326);
  assert.ok(width - left - right > width / 2);
});

test("rows are grouped by scale in their order of appearance", () => {
  const groups = byScale([row({ scale: "SIG" }), row({ scale: "BAK" }), row({ scale: "SIG", condition: "B" })]);
  assert.deepEqual([...groups.keys()], ["SIG", "BAK"]);
  assert.equal(groups.get("SIG")?.length, 2);
});

test("figures follow the reader's way of writing numbers", () => {
  assert.equal(figures("en")(3.456), "3.46");
  assert.equal(figures("fr")(3.456), "3,46");
  assert.equal(figures("en")(3), "3.00");
});
