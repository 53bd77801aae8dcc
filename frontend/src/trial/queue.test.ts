import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "./fake-pages.ts";
import { TrialQueue } from "./queue.ts";

const names = (queue: TrialQueue) => queue.pages.map(({ trial }) => trial);

test("an answer that the server does not know yet is not asked for again", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b")]);
  queue.markAnswered("a");
  queue.merge([pageOf("a"), pageOf("b"), pageOf("c")]);
  assert.deepEqual(names(queue), ["b", "c"]);
});

test("a refused answer's trial comes again, in its place", () => {
  const queue = new TrialQueue();
  queue.markAnswered("a");
  queue.reopen("a");
  queue.merge([pageOf("a"), pageOf("b")]);
  assert.equal(queue.first?.trial, "a");
});

test("a trial answered on another device disappears with the server's next list", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b")]);
  queue.merge([pageOf("b"), pageOf("c")]);
  assert.deepEqual(names(queue), ["b", "c"]);
});

test("a postponed trial makes room for the next and comes back where the server puts it", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b")]);
  queue.postpone("a");
  assert.equal(queue.first?.trial, "b");
  queue.merge([pageOf("b"), pageOf("c"), pageOf("a")]);
  assert.deepEqual(names(queue), ["b", "c", "a"]);
});

test("a page that was worked on from another page goes on from that step", () => {
  const queue = new TrialQueue();
  queue.merge([pageOf("a"), pageOf("b", {}, { revision: 3 })]);
  queue.stepped(pageOf("b", {}, { revision: 3 }), "half");
  assert.deepEqual([queue.find("b")?.revision, queue.find("b")?.draft], [4, "half"]);
  assert.equal(queue.find("a")?.revision, 0);
});
