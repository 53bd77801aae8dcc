import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, sentenceAround } from "./words.ts";

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
