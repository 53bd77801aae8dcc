import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cross, Crosses } from "./contract.ts";
import { History } from "./history.ts";
import { recall, remember } from "./history-memory.ts";

const TOKENS = ["s1", "s2", "s3"];
const at = (tc: number, sd: number, decided = false): Cross => ({ tc, sd, decided });

function history(crosses: Crosses = {}) {
  let clock = 0;
  return new History(TOKENS, crosses, () => {
    clock += 1;
    return { plane_px: 560, numbers: false, at_ms: clock };
  });
}

test("crosses are told in the order of their numbers, and only those of this page", () => {
  const begun = history({ s3: at(0.3, 0.3), s1: at(0.1, 0.1), s9: at(1, 1) });
  assert.deepEqual(Object.keys(begun.crosses), ["s1", "s3"]);
});

test("every move is kept with where to, how, and under which circumstances", () => {
  const made = history();
  made.make({ s2: at(0.2, 0.4) }, "pointer");
  made.make({ s2: at(0.2, 0.4, true) }, "keys");
  made.make({ s2: null }, "keys");
  const facts = { plane_px: 560, numbers: false };
  assert.deepEqual(made.takeMoves(), [
    { slot: "s2", to: [0.2, 0.4], decided: false, input: "pointer", ...facts, at_ms: 1 },
    { slot: "s2", to: [0.2, 0.4], decided: true, input: "keys", ...facts, at_ms: 2 },
    { slot: "s2", to: null, decided: false, input: "keys", ...facts, at_ms: 3 },
  ]);
  assert.deepEqual(made.takeMoves(), []);
});

test("undo goes back to the beginning and redo to the end, and both are moves", () => {
  const made = history({ s1: at(0.5, 0.5, true) });
  made.make({ s2: at(0.2, 0.4) }, "pointer");
  made.make({ s1: at(0.6, 0.5) }, "keys");
  made.make({ s2: null }, "keys");
  made.takeMoves();
  assert.deepEqual([made.undo(), made.undo(), made.undo(), made.undo()], [["s2"], ["s1"], ["s2"], []]);
  assert.deepEqual(made.crosses, { s1: at(0.5, 0.5, true) });
  assert.deepEqual([made.canUndo, made.canRedo], [false, true]);
  assert.deepEqual([made.redo(), made.redo(), made.redo(), made.redo()], [["s2"], ["s1"], ["s2"], []]);
  assert.deepEqual(made.crosses, { s1: at(0.6, 0.5) });
  const moves = made.takeMoves().map(({ slot, to, input }) => [slot, to, input]);
  assert.deepEqual(moves, [
    ["s2", [0.2, 0.4], "undo"],
    ["s1", [0.5, 0.5], "undo"],
    ["s2", null, "undo"],
    ["s2", [0.2, 0.4], "redo"],
    ["s1", [0.6, 0.5], "redo"],
    ["s2", null, "redo"],
  ]);
});

test("a new move after undo leaves nothing to redo", () => {
  const made = history();
  made.make({ s1: at(0.1, 0.1) }, "pointer");
  made.undo();
  made.make({ s1: at(0.2, 0.2) }, "pointer");
  assert.equal(made.canRedo, false);
});

test("several crosses in one step come and go together", () => {
  const made = history({ s1: at(0.1, 0.1), s3: at(0.3, 0.3) });
  made.make({ s1: at(0.1, 0.1, true), s3: at(0.3, 0.3, true) }, "keys");
  assert.equal(made.takeMoves().length, 2);
  assert.deepEqual(made.undo(), ["s1", "s3"]);
  assert.deepEqual(made.crosses, { s1: at(0.1, 0.1), s3: at(0.3, 0.3) });
});

test("a key that is held makes one step and one move, to where it ended", () => {
  const made = history({ s1: at(0.1, 0.1) });
  made.make({ s1: at(0.11, 0.1) }, "keys");
  made.make({ s1: at(0.12, 0.1) }, "keys", true);
  made.make({ s1: at(0.13, 0.1) }, "keys", true);
  assert.deepEqual(
    made.takeMoves().map(({ to }) => to),
    [[0.13, 0.1]],
  );
  made.make({ s1: at(0.14, 0.1) }, "keys", true); // what was sent meanwhile stays sent
  assert.equal(made.takeMoves().length, 1);
  made.undo();
  assert.deepEqual(made.crosses, { s1: at(0.1, 0.1) });
});

test("a held key never takes up another cross's step", () => {
  const made = history({ s1: at(0.1, 0.1), s2: at(0.2, 0.2) });
  made.make({ s1: at(0.11, 0.1) }, "keys");
  made.make({ s2: at(0.21, 0.2) }, "keys", true);
  assert.equal(made.takeMoves().length, 2);
  made.undo();
  assert.deepEqual(made.crosses, { s1: at(0.11, 0.1), s2: at(0.2, 0.2) });
});

test("after a reload the way back is there again, if it leads to where the crosses stand", () => {
  const before = history({ s3: at(0.9, 0.9, true) });
  before.make({ s1: at(0.1, 0.1) }, "pointer");
  before.make({ s1: at(0.2, 0.2) }, "pointer");
  before.undo();
  const after = history(before.crosses);
  after.resume(structuredClone(before.trail));
  assert.deepEqual([after.canUndo, after.canRedo], [true, true]);
  after.undo();
  assert.deepEqual(after.crosses, { s3: at(0.9, 0.9, true) });
  const elsewhere = history({ ...before.crosses, s2: at(0.5, 0.5) });
  elsewhere.resume(before.trail);
  assert.equal(elsewhere.canUndo, false, "somebody went on elsewhere");
});

test("the tab remembers a trail by its name, and does without where it may not", () => {
  const stored = new Map<string, string>();
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  });
  const trail = { start: {}, done: [{ before: { s1: null }, after: { s1: at(0.1, 0.1) } }], undone: [] };
  remember("trial-1", trail);
  assert.deepEqual(recall("trial-1"), trail);
  assert.equal(recall("trial-2"), null);
  Object.assign(globalThis, { sessionStorage: undefined });
  remember("trial-1", trail);
  assert.equal(recall("trial-1"), null);
});
