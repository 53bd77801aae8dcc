import assert from "node:assert/strict";
import { test } from "node:test";
import { placeAmong } from "./pageList.ts";

test("a clip is counted among all clips of all blocks, without the example", () => {
  const summary = (session: number, total: number) => ({
    session,
    total,
    answered: 0,
    seconds_left: 0,
    rest_before: false,
  });
  const sessions = [summary(0, 1), summary(2, 30), summary(1, 30)];
  const page = { session: 2, place: { number: 7, of: 30 } };
  assert.deepEqual(placeAmong(page, sessions), { number: 37, of: 60 });
});
