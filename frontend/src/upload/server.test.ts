import assert from "node:assert/strict";
import { test } from "node:test";
import { titleOf } from "./server.ts";

const picked = (path: string) => [{ path, file: new File([], "x") }];

test("a collection is named after the zip or the folder that fills it", () => {
  assert.equal(titleOf(picked("Noisy street.zip")), "Noisy street");
  assert.equal(titleOf(picked("v1.2 set.zip")), "v1.2 set");
  assert.equal(titleOf(picked("set.v2/C0/door.wav")), "set.v2");
  assert.equal(titleOf(picked(".zip")), ".zip");
});
