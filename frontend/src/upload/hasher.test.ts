import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import type { Digested } from "./digesting.ts";
import { Unreadable } from "./entries.ts";
import { Hasher } from "./hasher.ts";

const DIGESTED: Digested = { piece: "p", whole: null };

/** A worker that answers when the test says so. */
class FakeWorker extends EventTarget {
  static hired: FakeWorker[] = [];
  readonly asked: Record<string, unknown>[] = [];
  ended = false;

  constructor() {
    super();
    FakeWorker.hired.push(this);
  }

  postMessage(ask: Record<string, unknown>): void {
    this.asked.push(ask);
  }

  terminate(): void {
    this.ended = true;
  }

  answer(data: object): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

const worker = () => FakeWorker.hired.at(-1) as FakeWorker;

beforeEach(() => {
  FakeWorker.hired = [];
  Object.assign(globalThis, { Worker: FakeWorker });
});

test("every question gets its own answer, in whatever order they come", async () => {
  const hasher = new Hasher("/hashing.js", new Scope());
  const [one, two] = [hasher.of("a", new Blob(), 0, 1), hasher.of("b", new Blob(), 0, 1)];
  worker().answer({ id: 2, digested: { piece: "second", whole: null } });
  worker().answer({ id: 1, digested: { piece: "first", whole: null } });
  assert.deepEqual([(await one).piece, (await two).piece], ["first", "second"]);
});

test("a file that cannot be read is named", async () => {
  const asked = new Hasher("/hashing.js", new Scope()).of("C0/a.wav", new Blob(), 0, 1);
  worker().answer({ id: 1, error: "NotReadableError" });
  await assert.rejects(asked, (problem) => problem instanceof Unreadable && problem.path === "C0/a.wav");
});

test("a worker that breaks down leaves nobody waiting, and the next question goes to a new one", async () => {
  const scope = new Scope();
  const hasher = new Hasher("/hashing.js", scope);
  const [one, two] = [hasher.of("a", new Blob(), 0, 1), hasher.of("b", new Blob(), 0, 1)];
  const first = worker();
  first.dispatchEvent(new Event("error"));
  for (const asked of [one, two])
    await assert.rejects(asked, (problem) => problem instanceof Error && !(problem instanceof Unreadable));
  assert.equal(first.ended, true);
  const again = hasher.of("a", new Blob(), 0, 1);
  assert.notEqual(worker(), first);
  worker().answer({ id: 3, digested: DIGESTED });
  assert.deepEqual(await again, DIGESTED);
  scope.dispose();
  assert.deepEqual([worker().ended, FakeWorker.hired.length], [true, 2]);
});
