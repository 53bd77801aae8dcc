import assert from "node:assert/strict";
import { test } from "node:test";
import { BoardState, MoveHistory, type News, recallTrail, rememberTrail } from "./boardState.ts";
import type { Cross, Crosses } from "./contract.ts";

const TOKENS = ["s1", "s2", "s3"];
const at = (tc: number, sd: number, decided = false): Cross => ({ tc, sd, decided });

function history(crosses: Crosses = {}) {
  let clock = 0;
  return new MoveHistory(TOKENS, crosses, () => {
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

test("after a reload undo works again, if the history leads to where the crosses stand", () => {
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
  assert.equal(elsewhere.canUndo, false, "a person went on elsewhere");
});

test("the tab remembers a trail by its name, and does without where it may not", () => {
  const stored = new Map<string, string>();
  Object.assign(globalThis, {
    sessionStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  });
  const made = history();
  made.make({ s1: at(0.1, 0.1) }, "pointer");
  const { trail } = made;
  rememberTrail("trial-1", trail);
  assert.deepEqual(recallTrail("trial-1"), trail);
  assert.equal(recallTrail("trial-2"), null);
  Object.assign(globalThis, { sessionStorage: undefined });
  rememberTrail("trial-1", trail);
  assert.equal(recallTrail("trial-1"), null);
});

const FACTS = { plane_px: 560, numbers: true, at_ms: 7 };

function board(crosses: Crosses = {}) {
  const state = new BoardState(["s1", "s2", "s3"], crosses, () => FACTS);
  const news: News["what"][] = [];
  state.onNews(({ what }) => news.push(what));
  const inputs = () => state.takeMoves().map(({ slot, to, decided, input }) => [slot, to, decided, input]);
  return { state, news, inputs };
}

test("put down it is tentative, Enter decides, and moved again it is open again", () => {
  const { state, inputs } = board();
  state.put("s1", { tc: 0.42424, sd: 2 }, "pointer");
  state.settle("s1", "keys");
  state.nudge("s1", "sd", -0.1);
  assert.deepEqual(inputs(), [
    ["s1", [0.4242, 1], false, "pointer"],
    ["s1", [0.4242, 1], true, "keys"],
    ["s1", [0.4242, 0.9], false, "keys"],
  ]);
});

test("in the tray the arrows move only the caret, which begins in the middle; Enter places it there", () => {
  const { state, news, inputs } = board();
  state.nudge("s2", "tc", 0.05);
  state.nudge("s2", "sd", -0.1);
  assert.deepEqual([state.crosses, state.caretOf("s2")], [{}, { tc: 0.55, sd: 0.4 }]);
  assert.deepEqual(news, ["caret", "caret"]);
  state.settle("s2", "keys");
  assert.deepEqual(inputs(), [["s2", [0.55, 0.4], false, "keys"]]);
});

test("what does not move is no move and stays decided", () => {
  const { state, inputs } = board({ s1: { tc: 1, sd: 0.5, decided: true } });
  state.nudge("s1", "tc", 0.05); // against the edge
  state.put("s1", { tc: 1, sd: 0.5 }, "pointer"); // back where it was
  state.settle("s1", "keys");
  state.lift("s2", "keys");
  assert.deepEqual(inputs(), []);
  assert.equal(state.crosses.s1?.decided, true);
});

test("same as asks first and only when a cross is chosen and placed; a choice or a move ends the asking", () => {
  const { state, inputs } = board({ s1: { tc: 0.1, sd: 0.2, decided: true }, s2: { tc: 0.8, sd: 0.9, decided: true } });
  state.ask("sd");
  assert.equal(state.asking, null);
  state.choose("s3");
  state.ask("sd");
  assert.equal(state.asking, null);
  state.choose("s1");
  state.ask("sd");
  assert.equal(state.asking, "sd");
  state.nudge("s1", "tc", 0.01);
  assert.equal(state.asking, null);
  state.align("s2", "sd");
  assert.deepEqual(inputs().at(-1), ["s1", [0.11, 0.9], false, "same"]);
});

test("carrying a cross is no move until it is put down", () => {
  const { state, news, inputs } = board({ s1: { tc: 0.1, sd: 0.2, decided: true } });
  state.carry("s1", { tc: 0.5, sd: 0.5 });
  state.drop();
  state.drop();
  assert.deepEqual([news, inputs()], [["looks", "looks"], []]);
  assert.equal(state.carried, null);
});

test("undo chooses what it moved, so that it is seen; deciding all is one step of the last hand", () => {
  const { state, inputs } = board({
    s1: { tc: 0.1, sd: 0.2, decided: false },
    s2: { tc: 0.8, sd: 0.9, decided: false },
  });
  state.lastInput = "keys";
  state.decideAll();
  assert.deepEqual(inputs(), [
    ["s1", [0.1, 0.2], true, "keys"],
    ["s2", [0.8, 0.9], true, "keys"],
  ]);
  state.decideAll();
  state.put("s2", { tc: 0, sd: 0 }, "pointer");
  state.undo();
  assert.equal(state.selected, "s2");
  state.undo();
  assert.deepEqual(
    Object.values(state.crosses).map(({ decided }) => decided),
    [false, false],
  );
  assert.deepEqual([state.canUndo, state.canRedo], [false, true]);
});

test("only summaries of this page can be chosen, and choosing twice is told once", () => {
  const { state, news } = board();
  state.choose("s2");
  state.choose("s2");
  assert.deepEqual([state.selected, news], ["s2", ["chosen", "looks"]]);
  state.choose("s9");
  assert.equal(state.selected, null);
});
