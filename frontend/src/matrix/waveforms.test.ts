import assert from "node:assert/strict";
import { test } from "node:test";
import { outlinePath, tallest } from "./waveforms.ts";

test("each character is a line as high as its share of the tallest on the page, and silence a thin one", () => {
  assert.equal(tallest(["AAB", "Ag"]), 32);
  assert.equal(outlinePath("AQg", 32), "M0.5-0.02V0.02M1.5-0.50V0.50M2.5-1.00V1.00");
});

test("a page of silence alone is drawn too", () => {
  assert.equal(tallest([]), 1);
  assert.equal(outlinePath("A", tallest(["AAA"])), "M0.5-0.02V0.02");
});
