import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrialPage } from "./contract.ts";
import { TrialQueue } from "./queue.ts";

function page(trial: string): TrialPage {
  return {
    trial,
    position: 1,
    session: 1,
    kind: "test",
    revision: 0,
    view: "scales",
    plays_allowed: 1,
    page: {},
    media: {},
    labels: {},
  };
}

const names = (queue: TrialQueue) => queue.pages.map(({ trial }) => trial);

test("an answer that the server does not know yet is not asked for again", () => {
  const queue = new TrialQueue();
  queue.merge([page("a"), page("b")]);
  queue.markAnswered("a");
  queue.merge([page("a"), page("b"), page("c")]);
  assert.deepEqual(names(queue), ["b", "c"]);
});

test("a refused answer's trial comes again, in its place", () => {
  const queue = new TrialQueue();
  queue.markAnswered("a");
  queue.reopen("a");
  queue.merge([page("a"), page("b")]);
  assert.equal(queue.first?.trial, "a");
});

test("a trial answered on another device disappears with the server's next list", () => {
  const queue = new TrialQueue();
  queue.merge([page("a"), page("b")]);
  queue.merge([page("b"), page("c")]);
  assert.deepEqual(names(queue), ["b", "c"]);
});
