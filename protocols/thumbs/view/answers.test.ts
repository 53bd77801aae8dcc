import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import { PageAnswers } from "./answers.ts";

function answers(draft: Json = null, synthesised = true): PageAnswers {
  return new PageAnswers({ page: { slots: ["clip", "c1", "c2"], step: 0.5, synthesised }, draft });
}

test("nothing is set beforehand, and zero is an answer", () => {
  const page = answers();
  assert.equal(page.missing.length, 11);
  page.setNoPenalties("c1");
  assert.deepEqual(page.missingOf("c1"), ["PRECISION", "RECALL"]);
  assert.deepEqual(page.numbers("c1"), { FLUENCY: 0, CONCISENESS: 0, IRRELEVANCE: 0 });
  page.set("c1", "FLUENCY", null);
  assert.deepEqual(page.missingOf("c1"), ["PRECISION", "RECALL", "FLUENCY"]);
});

test("the answer about the clip is asked only where the test asks it, and no is an answer", () => {
  const page = answers({ captions: {} });
  assert.deepEqual(page.missing.at(-1), { slot: "clip", scale: "SYNTHESISED" });
  page.synthesised = false;
  assert.ok(page.missing.every(({ scale }) => scale !== "SYNTHESISED"));
  assert.ok(answers(null, false).missing.every(({ scale }) => scale !== "SYNTHESISED"));
});

test("what was sent comes back as it was", () => {
  const page = answers();
  page.set("c2", "PRECISION", 3.5);
  page.setComment("c2", "said twice");
  page.synthesised = true;
  const sent = page.payload(2, false);
  assert.deepEqual(sent, {
    captions: { c1: {}, c2: { PRECISION: 3.5, comment: "said twice" } },
    synthesised: true,
    listened: { plays: 2 },
    finished: false,
  });
  assert.deepEqual(answers(sent as unknown as Json).payload(2, false), sent);
  page.setComment("c2", "");
  assert.deepEqual(page.payload(2, false).captions.c2, { PRECISION: 3.5 });
});

test("an answer from elsewhere that holds null is not taken for a number", () => {
  assert.deepEqual(answers({ captions: { c1: { FLUENCY: null, comment: "" } } }).payload(0, true).captions.c1, {});
});
