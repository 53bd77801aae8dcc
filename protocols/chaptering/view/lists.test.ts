import assert from "node:assert/strict";
import { test } from "node:test";
import { linesOf } from "./lists.ts";

test("a line that begins with a time leads there, any other is words alone", () => {
  assert.deepEqual(linesOf("[0:12] Good evening.\n\n1:02:03.5 - The weather\nNo time here: 5:30"), [
    { atS: 12, time: "0:12", words: "Good evening." },
    { atS: 3723.5, time: "1:02:03.5", words: "The weather" },
    { atS: null, time: "", words: "No time here: 5:30" },
  ]);
});
