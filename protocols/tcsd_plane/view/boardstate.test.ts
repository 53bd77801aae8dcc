import assert from "node:assert/strict";
import { test } from "node:test";
import { BoardState, type News } from "./boardstate.ts";
import type { Crosses } from "./contract.ts";

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
  state.hand = "keys";
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
