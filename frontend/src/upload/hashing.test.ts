import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { Unreadable } from "./droppedFiles.ts";
import { type Digested, Digests, Hasher } from "./hashing.ts";

const CONTENT = Uint8Array.from({ length: 9_000_000 }, (_, n) => (n * 31) % 251);
const FILE = new Blob([CONTENT]);
const digestOf = (start = 0, end = CONTENT.length) =>
  createHash("sha256").update(CONTENT.subarray(start, end)).digest("base64");

test("each piece has its digest, and the last one brings that of the whole", async () => {
  const digests = new Digests();
  assert.deepEqual(await digests.of("a", FILE, 0, 4_000_000), { piece: digestOf(0, 4_000_000), whole: null });
  assert.deepEqual(await digests.of("a", FILE, 4_000_000, 8_000_000), {
    piece: digestOf(4_000_000, 8_000_000),
    whole: null,
  });
  assert.deepEqual(await digests.of("a", FILE, 8_000_000, 9_000_000), {
    piece: digestOf(8_000_000, 9_000_000),
    whole: digestOf(),
  });
});

test("pieces sent again, also overlapping or while the first is still read, count once", async () => {
  const digests = new Digests();
  const both = await Promise.all([digests.of("a", FILE, 0, 5_000_000), digests.of("a", FILE, 0, 5_000_000)]);
  assert.deepEqual(both[0], both[1]);
  await digests.of("a", FILE, 3_000_000, 7_000_000);
  const last = await digests.of("a", FILE, 7_000_000, 9_000_000);
  assert.equal(last.whole, digestOf());
  assert.equal((await digests.of("a", FILE, 7_000_000, 9_000_000)).whole, digestOf(), "asked again, it says the same");
});

test("after a reload the beginning is read without being sent", async () => {
  const { whole } = await new Digests().of("a", FILE, 8_999_999, 9_000_000);
  assert.equal(whole, digestOf());
});

test("two files do not mix, and a forgotten one begins anew", async () => {
  const digests = new Digests();
  const small = new Blob(["abc"]);
  await digests.of("a", FILE, 0, 100);
  assert.equal((await digests.of("b", small, 0, 3)).whole, createHash("sha256").update("abc").digest("base64"));
  digests.forget("a");
  assert.equal((await digests.of("a", small, 0, 3)).whole, createHash("sha256").update("abc").digest("base64"));
});

test("a file that cannot be read fails and can be tried again", async () => {
  const digests = new Digests();
  const broken = { size: 3, slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }) };
  await assert.rejects(digests.of("a", broken as unknown as Blob, 0, 3), /gone/);
  assert.ok((await digests.of("a", new Blob(["abc"]), 0, 3)).whole);
});

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

test("a worker that breaks down fails its waiting requests, and the next request goes to a new one", async () => {
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
