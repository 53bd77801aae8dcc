import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, missedBy, Picks, sentenceAround } from "./picks.ts";

test("words are joined as they would be written, in scripts with and without spaces", () => {
  assert.equal(joined(["It's", "late", ",", "she", "said", "."]), "It's late, she said.");
  assert.equal(joined(["桜", "が", "咲く", "。"]), "桜が咲く。");
  assert.equal(joined(["今日", "NHK", "が", "言った"]), "今日 NHK が言った");
  assert.equal(joined(["(", "one", ")"]), "( one)");
  assert.equal(joined([]), "");
});

test("a sentence reaches from the mark before it to its own", () => {
  const words = ["Rain", "fell.", "It", "was", "“late.”", "Good", "night"];
  assert.deepEqual(sentenceAround(words, 1), [1, 2]);
  assert.deepEqual(sentenceAround(words, 4), [3, 4, 5]);
  assert.deepEqual(sentenceAround(words, 5), [3, 4, 5]);
  assert.deepEqual(sentenceAround(words, 7), [6, 7]);
  assert.deepEqual(sentenceAround(["雨", "が", "降った", "。", "夜"], 2), [1, 2, 3, 4]);
});

test("whatever the order of picking, positions come in the order of the transcript", () => {
  const picks = new Picks(9, [7, 2, 99, 0, 2.5]);
  picks.toggle(5);
  assert.deepEqual(picks.positions, [2, 5, 7]);
  picks.toggle(2);
  assert.deepEqual(picks.positions, [5, 7]);
  assert.equal(picks.count, 2);
});

test("a sentence is completed first and cleared only when it is whole", () => {
  const picks = new Picks(5, [2]);
  picks.toggleAll([1, 2, 3]);
  assert.deepEqual(picks.positions, [1, 2, 3]);
  picks.toggleAll([1, 2, 3]);
  assert.deepEqual(picks.positions, []);
});

test("every step can be taken back and made again, and a step that changes nothing is none", () => {
  const picks = new Picks(5, [1]);
  assert.equal(picks.undo(), false);
  picks.set([1, 2, 3], true);
  picks.set([2], true);
  picks.clear();
  assert.equal(picks.undo(), true);
  assert.deepEqual(picks.positions, [1, 2, 3]);
  picks.undo();
  assert.deepEqual(picks.positions, [1]);
  assert.equal(picks.canUndo, false);
  picks.redo();
  picks.redo();
  assert.deepEqual(picks.positions, []);
  assert.equal(picks.redo(), false);
  picks.undo();
  picks.toggle(5);
  assert.equal(picks.canRedo, false);
});

test("a length is missed by as many words as it lacks or has too many", () => {
  const range = { least: 3, most: 5 };
  assert.deepEqual(
    [0, 2, 3, 5, 6, 9].map((count) => missedBy(count, range)),
    [-3, -1, 0, 0, 1, 4],
  );
});
