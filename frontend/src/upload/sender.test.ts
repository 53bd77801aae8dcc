import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { type Row, UploadQueue } from "./queue.ts";
import { Sender } from "./sender.ts";
import type { Attempt } from "./tusHttpStack.ts";

const tick = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await tick(1); // the runner's own time limit ends a wait in vain
}

const NETWORK = { originalResponse: null };
const answered = (status: number, code = "") => ({
  originalResponse: { getStatus: () => status, getHeader: () => null, getBody: () => JSON.stringify({ code }) },
});

/** A road on which the test decides when and how every attempt ends. */
class Road {
  readonly attempts: { row: Row; end: (problem: unknown) => void; aborted: boolean }[] = [];

  attempt = (row: Row): Attempt => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const made = { row, end: resolve, aborted: false };
    this.attempts.push(made);
    const abort = () => {
      made.aborted = true;
      resolve(new Error("aborted"));
    };
    return { ended: promise, abort };
  };

  get last() {
    const attempt = this.attempts.at(-1);
    assert.ok(attempt);
    return attempt;
  }
}

function set(count: number) {
  const queue = new UploadQueue();
  const names = Array.from({ length: count }, (_, n) => `${n}.wav`);
  queue.announce(names.map((path) => ({ path, byte_count: 1, received_bytes: 0, upload_url: `/${path}` })));
  queue.supply(names.map((path) => ({ path, file: new File(["x"], path) })));
  const road = new Road();
  const scope = new Scope();
  const heard: string[] = [];
  const sender = new Sender({
    queue,
    hasher: { forget: (key) => heard.push(`forget ${key}`) },
    scope,
    attempt: road.attempt,
    onChange: () => {},
    onTrouble: (trouble) => heard.push(`trouble ${trouble}`),
    onOver: () => heard.push("over"),
    explain: (row, recovery) => `${row.path} ${recovery.why}`,
    pause: () => 1,
  });
  return { queue, road, scope, sender, heard };
}

const states = (queue: UploadQueue) => queue.rows.map(({ state }) => state);

test("two files go at a time, and all arrive", async () => {
  const { queue, road, scope } = set(5);
  await tick();
  assert.deepEqual(states(queue), ["sending", "sending", "waiting", "waiting", "waiting"]);
  while (!queue.complete) {
    for (const { end } of road.attempts) end(null);
    await tick();
  }
  assert.equal(road.attempts.length, 5);
  assert.equal(queue.rows[0]?.file, null, "a file that has arrived is let go");
  scope.dispose();
});

test("a file that loses the network is tried until it is there", async () => {
  const { queue, road, scope, heard } = set(1);
  for (let n = 1; n <= 6; n += 1) {
    await until(() => road.attempts.length === n);
    road.last.end(NETWORK);
  }
  await until(() => road.attempts.length === 7);
  road.last.end(null);
  await until(() => queue.complete);
  assert.deepEqual([heard[0], heard.at(-1)], ["trouble network", "trouble null"]);
  scope.dispose();
});

test("pausing stops what runs and starts nothing, going on begins with the same files", async () => {
  const { queue, road, sender, scope } = set(3);
  await tick();
  sender.pause();
  await tick();
  assert.deepEqual(states(queue), ["waiting", "waiting", "waiting"]);
  assert.ok(road.attempts.every(({ aborted }) => aborted));
  sender.wake();
  await tick();
  assert.equal(road.attempts.length, 2);
  sender.resume();
  await tick();
  assert.deepEqual(
    road.attempts.slice(2).map(({ row }) => row.path),
    ["0.wav", "1.wav"],
  );
  scope.dispose();
});

test("a pause during the wait for the network holds too", async () => {
  const { queue, road, sender, scope } = set(1);
  await tick();
  road.last.end(answered(507));
  sender.pause();
  await tick();
  assert.deepEqual([states(queue), road.attempts.length], [["waiting"], 1]);
  scope.dispose();
});

test("a refused file is given up with its reason, and the next one goes", async () => {
  const { queue, road, scope } = set(3);
  await tick();
  road.attempts[0]?.end(answered(413));
  await tick();
  assert.equal(queue.rows[0]?.trouble, "0.wav refused");
  assert.deepEqual(states(queue), ["failed", "sending", "sending"]);
  scope.dispose();
});

test("an import that is over stops every file", async () => {
  const { road, heard, scope } = set(4);
  await tick();
  road.attempts[0]?.end(answered(410));
  await tick();
  assert.ok(road.attempts[1]?.aborted);
  assert.equal(road.attempts.length, 2);
  assert.equal(heard.at(-1), "over");
  scope.dispose();
});

test("leaving the page aborts everything and leaves nothing behind", async () => {
  const { road, scope } = set(4);
  await tick();
  scope.dispose();
  await tick();
  assert.ok(road.attempts.every(({ aborted }) => aborted));
  assert.equal(road.attempts.length, 2);
  assert.equal(scope.size, 0);
});
