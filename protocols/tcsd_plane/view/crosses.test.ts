import assert from "node:assert/strict";
import { test } from "node:test";
import type { Crosses } from "./contract.ts";
import { alignedWith, numberOf, relationsOf, stateOf, tentativeAt, tentativeTokens } from "./crosses.ts";

const CROSSES: Crosses = {
  s1: { tc: 0.1, sd: 0.5, decided: true },
  s2: { tc: 0.6, sd: 0.2, decided: false },
  s3: { tc: 0.8, sd: 0.5, decided: false },
  s4: { tc: 0.6, sd: 0.9, decided: true },
};

test("a summary goes by its number", () => {
  assert.deepEqual(["s1", "s12"].map(numberOf), ["1", "12"]);
});

test("a cross stands in the tray, tentative or decided", () => {
  assert.deepEqual([undefined, CROSSES.s2, CROSSES.s1].map(stateOf), ["tray", "tentative", "decided"]);
  assert.deepEqual(tentativeTokens(CROSSES), ["s2", "s3"]);
  assert.deepEqual(tentativeAt({ tc: 1.2, sd: 0.33333 }), { tc: 1, sd: 0.3333, decided: false });
});

test("same SD and same TC take one coordinate from another cross and open the moved one again", () => {
  assert.deepEqual(alignedWith(CROSSES, "s4", "s2", "sd"), { tc: 0.6, sd: 0.2, decided: false });
  assert.deepEqual(alignedWith(CROSSES, "s2", "s1", "tc"), { tc: 0.1, sd: 0.2, decided: false });
});

test("nothing is moved that is the same already, that is itself, or that lies in the tray", () => {
  assert.equal(alignedWith(CROSSES, "s1", "s3", "sd"), null);
  assert.equal(alignedWith(CROSSES, "s1", "s1", "tc"), null);
  assert.equal(alignedWith(CROSSES, "s1", "s8", "tc"), null);
  assert.equal(alignedWith(CROSSES, "s8", "s1", "tc"), null);
});

test("a relation names the nearest neighbour on each side, and every cross that shares a coordinate", () => {
  assert.deepEqual(relationsOf(CROSSES, "s2"), [
    ["below", ["s1", "s3"]],
    ["right_of", ["s1"]],
    ["left_of", ["s3"]],
    ["same_tc", ["s4"]],
  ]);
  assert.deepEqual(relationsOf(CROSSES, "s1"), [
    ["above", ["s2"]],
    ["below", ["s4"]],
    ["left_of", ["s2", "s4"]],
    ["same_sd", ["s3"]],
  ]);
});

test("a cross alone, or in the tray, has no relations", () => {
  assert.deepEqual(relationsOf({ s1: { tc: 0, sd: 0, decided: true } }, "s1"), []);
  assert.deepEqual(relationsOf(CROSSES, "s7"), []);
});
