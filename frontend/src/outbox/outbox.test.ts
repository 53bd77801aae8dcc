import "fake-indexeddb/auto";
import assert from "node:assert/strict";
import { afterEach, beforeEach, type TestContext, test } from "node:test";
import { Scope, WakeSignal } from "../lib/scope.ts";
import type { Result, VoteEvent } from "./events.ts";
import { FakeServer, HEARD } from "./fakeServer.ts";
import { type News, Outbox, type SaveState } from "./outbox.ts";
import { MemoryStore, openStore, type Store } from "./store.ts";

let server: FakeServer;
let url: string;
let scope: Scope;
let visit = 0;
let counter = 0;

beforeEach(async () => {
  server = new FakeServer();
  url = await server.start();
  scope = new Scope();
  visit += 1;
});

afterEach(() => {
  scope.dispose();
  server.stop();
});

function event(trial = "trial"): VoteEvent {
  counter += 1;
  return {
    event_id: `00000000-0000-4000-8000-${String(counter).padStart(12, "0")}`,
    trial,
    revision: 0,
    payload: { marks: [{ slot: "a", scale: "QUALITY", value: 4 }] },
    heard: HEARD,
    clock: { wall: "2026-01-01T00:00:00Z", monotonic_ms: 1, counter },
  };
}

/** Stop the page's clock for a test; what is returned lets time pass. */
function clockOf(t: TestContext): (ms: number) => void {
  let now = 1000;
  t.mock.method(performance, "now", () => now);
  return (ms) => {
    now += ms;
  };
}

interface Opened {
  outbox: Outbox;
  store: Store;
  states: SaveState[];
  news: News[];
}

async function open(inside: Scope = scope, store?: Store): Promise<Opened> {
  const states: SaveState[] = [];
  const news: News[] = [];
  const kept = store ?? (await openStore(`visit ${visit}`, inside));
  const outbox = new Outbox({
    visit: `visit ${visit}`,
    votesUrl: url,
    csrf: "token",
    store: kept,
    scope: inside,
    onState: (state) => states.push(state),
    onNews: (item) => news.push(item),
    random: () => 0,
  });
  await outbox.start();
  return { outbox, store: kept, states, news };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new WakeSignal().wait(scope, 5);
}

test("an answer is on the device before the page may go on, also when the server is away", async () => {
  server.reply = () => "hang up";
  const { outbox } = await open();
  await outbox.add(event());
  const reader = await openStore(`visit ${visit}`, scope); // another connection sees it: it was committed
  assert.equal((await reader.waiting()).length, 1);
});

test("the page may not go on before the disk has said that it holds the answer", async () => {
  let written = () => {};
  class SlowStore extends MemoryStore {
    override readonly durable = true;
    override async add(item: VoteEvent): Promise<void> {
      await new Promise<void>((resolve) => {
        written = resolve;
      });
      await super.add(item);
    }
  }
  const { outbox } = await open(scope, new SlowStore());
  let safe = false;
  const adding = outbox.add(event()).then(() => {
    safe = true;
  });
  await new WakeSignal().wait(scope, 30);
  assert.equal(safe, false);
  assert.equal(server.bodies.length, 0);
  written();
  await adding;
});

test("a stored answer leaves the outbox and the state becomes saved", async () => {
  const { outbox, states, store } = await open();
  await outbox.add(event());
  await outbox.drained();
  assert.deepEqual(await store.waiting(), []);
  assert.deepEqual(states.at(-1), { kind: "saved", at: "2026-01-01T12:00:00Z" });
  assert.ok(states.some((state) => state.kind === "saving"));
});

test("an answer whose acknowledgement was lost is sent again under the same id and stored once", async () => {
  const normal = server.reply;
  server.reply = (body) => {
    normal(body); // committed, then the connection breaks
    server.reply = normal;
    return "hang up";
  };
  const { outbox, states, news } = await open();
  await outbox.add(event());
  await outbox.drained();
  assert.equal(server.bodies.length, 2);
  assert.equal(server.stored.size, 1);
  assert.equal(news.at(-1)?.verdicts[0]?.status, "replay");
  assert.ok(states.some((state) => state.kind === "kept" && state.waiting === 1));
});

test("nothing waits any more only after the page was told what became of it", async () => {
  class SlowStore extends MemoryStore {
    override readonly durable = true;
    override async remove(eventIds: readonly string[]): Promise<void> {
      await super.remove(eventIds);
      await new WakeSignal().wait(scope, 300); // meanwhile a reader finds nothing
    }
  }
  const { outbox, news } = await open(scope, new SlowStore());
  await outbox.add(event());
  await outbox.drained();
  assert.equal(news.length, 1);
});

test("an answer that has just been given does not make one late that was given before and is saved", async () => {
  class HandTimedScope extends Scope {
    readonly due: (() => void)[] = [];
    override after(_milliseconds: number, callback: () => void): () => void {
      this.due.push(callback);
      return () => {};
    }
  }
  const inside = new HandTimedScope();
  scope.own(() => inside.dispose());
  const { outbox, states } = await open(inside);
  await outbox.add(event());
  await outbox.drained();
  await outbox.add(event());
  inside.due[0]?.();
  assert.deepEqual(states.at(-1), { kind: "saving", waiting: 1 });
  inside.due[1]?.();
  assert.deepEqual(states.at(-1), { kind: "kept", waiting: 1 });
  await outbox.drained();
  assert.equal(states.at(-1)?.kind, "saved");
});

test("a new page sends what an earlier page left behind", async () => {
  server.reply = () => ({ status: 503 });
  const earlier = new Scope();
  const before = await open(earlier);
  const left = event();
  await before.outbox.add(left);
  earlier.dispose();
  server.reply = (body) => ({ status: 200, results: body.events.map((item) => server.store(item)) });
  const { outbox } = await open();
  await outbox.drained();
  assert.deepEqual([...server.stored.keys()], [left.event_id]);
});

test("a server that asks for time is left alone for so long, keeps nothing from the device, and gets all then", async (t) => {
  const pass = clockOf(t);
  const normal = server.reply;
  server.reply = () => ({ status: 503, retryAfterS: 30 });
  const { outbox, states, store } = await open();
  await outbox.add(event("first"));
  await until(() => states.at(-1)?.kind === "kept");
  await outbox.add(event("second"));
  await new WakeSignal().wait(scope, 700); // longer than the first pause of a failure without such a wish
  assert.equal(server.bodies.length, 1);
  assert.equal((await store.waiting()).length, 2);
  server.reply = normal;
  pass(30_001);
  outbox.wake();
  await outbox.drained();
  assert.equal(server.stored.size, 2);
});

test("answers of another visit on the same device are left alone", async () => {
  server.reply = () => ({ status: 503 });
  const earlier = new Scope();
  await (await open(earlier)).outbox.add(event());
  earlier.dispose();
  const sentBefore = server.bodies.length;
  visit += 1;
  const { outbox } = await open();
  await outbox.drained();
  assert.equal(server.bodies.length, sentBefore);
  const other = await openStore(`visit ${visit - 1}`, scope);
  assert.equal((await other.waiting()).length, 1);
});

test("a hundred and twenty waiting answers go in batches of at most fifty", async () => {
  const store = await openStore(`visit ${visit}`, scope);
  for (let n = 0; n < 120; n += 1) await store.add(event());
  const { outbox } = await open();
  await outbox.drained();
  assert.deepEqual(
    server.bodies.map((body) => body.events.length),
    [50, 50, 20],
  );
  assert.equal(server.stored.size, 120);
});

test("two tabs of one visit lose nothing and both learn what was stored", async () => {
  const first = await open();
  const second = await open();
  const events = Array.from({ length: 10 }, (_, n) => event(`trial ${n}`));
  await Promise.all(events.map((item, n) => (n % 2 ? first : second).outbox.add(item)));
  await Promise.all([first.outbox.drained(), second.outbox.drained()]);
  assert.equal(server.stored.size, 10);
  const told = (tab: Opened) => new Set(tab.news.flatMap((item) => item.verdicts.map((verdict) => verdict.trial)));
  await until(() => told(first).size === 10 && told(second).size === 10);
});

test("conflict and refused are final, reach the page with their trial, and an error shows as a problem", async () => {
  const [lost, bad] = [event("lost"), event("bad")];
  server.reply = (body) => ({
    status: 200,
    results: body.events.map(({ event_id, trial }) =>
      trial === "lost"
        ? { event_id, status: "conflict", revision: 3 }
        : { event_id, status: "refused", revision: null, code: "vote.invalid", detail: "Too large." },
    ),
  });
  const { outbox, states, news, store } = await open();
  await outbox.add(lost);
  await outbox.drained();
  await outbox.add(bad);
  await outbox.drained();
  assert.deepEqual(await store.waiting(), []);
  const verdicts = news.flatMap((item) => item.verdicts.map(({ trial, status }) => [trial, status]));
  assert.deepEqual(verdicts, [
    ["lost", "conflict"],
    ["bad", "refused"],
  ]);
  assert.deepEqual(states.at(-1), { kind: "problem", reason: "refused", waiting: 0 });
});

test("a word that is not known as final keeps the answer in the outbox", async () => {
  server.reply = (body) => ({
    status: 200,
    results: body.events.map(({ event_id }) => ({ event_id, status: "later" as "stored", revision: null })),
  });
  const { outbox, store } = await open();
  await outbox.add(event());
  await until(() => server.bodies.length >= 2);
  assert.equal((await store.waiting()).length, 1);
});

test("an expired session keeps every answer and says so; the next accepted request clears it", async () => {
  const normal = server.reply;
  server.reply = () => ({ status: 403 });
  const { outbox, states, store } = await open();
  await outbox.add(event());
  await until(() => states.some((state) => state.kind === "problem" && state.reason === "session"));
  assert.equal((await store.waiting()).length, 1);
  server.reply = normal;
  outbox.wake();
  await outbox.drained();
  assert.equal(states.at(-1)?.kind, "saved");
});

test("one answer that the server cannot read holds up no other", async () => {
  const [good, unreadable, alsoGood] = [event("one"), event("unreadable"), event("two")];
  const store = await openStore(`visit ${visit}`, scope);
  for (const item of [good, unreadable, alsoGood]) await store.add(item);
  const normal = server.reply;
  server.reply = (body) => (body.events.some(({ trial }) => trial === "unreadable") ? { status: 400 } : normal(body));
  const { outbox, states } = await open();
  await until(() => server.stored.size === 2 && outbox.waiting.length === 1);
  await until(() => states.at(-1)?.kind === "problem");
  assert.deepEqual(states.at(-1), { kind: "problem", reason: "rejected", waiting: 1 });
  assert.deepEqual(
    (await store.waiting()).map(({ trial }) => trial),
    ["unreadable"],
  );
  const tries = server.bodies.length;
  await until(() => server.bodies.length > tries + 1); // it is never given up
  server.reply = normal; // a mended server takes it
  outbox.wake();
  await outbox.drained();
  assert.equal(states.at(-1)?.kind, "saved");
});

test("without storage the page goes on only after the server's answer", async () => {
  const normal = server.reply;
  server.reply = () => ({ status: 503 });
  const { outbox, states } = await open(scope, new MemoryStore());
  let safe = false;
  const adding = outbox.add(event()).then(() => {
    safe = true;
  });
  await until(() => server.bodies.length >= 1 && states.at(-1)?.kind === "problem");
  assert.equal(safe, false);
  assert.deepEqual(states.at(-1), { kind: "problem", reason: "storage", waiting: 1 });
  server.reply = normal;
  outbox.wake();
  await adding;
  assert.equal(server.stored.size, 1);
});

test("a full disk is treated like missing storage: the answer waits for the server's word", async () => {
  class FullStore extends MemoryStore {
    override readonly durable = true;
    override async add(): Promise<void> {
      throw new DOMException("full", "QuotaExceededError");
    }
  }
  const { outbox } = await open(scope, new FullStore());
  await outbox.add(event());
  assert.equal(server.stored.size, 1);
});

test("leaving the page sends the waiting answers but does not remove them", async () => {
  server.reply = () => "hang up";
  const { outbox, store } = await open();
  await outbox.add(event());
  const before = server.bodies.length;
  outbox.sendOnLeaving();
  await until(() => server.bodies.length > before);
  assert.equal((await store.waiting()).length, 1);
});

function soundMissing({ event_id }: VoteEvent, path = "sound/"): Result {
  return {
    event_id,
    status: "sound_missing",
    revision: null,
    detail: "Listen first.",
    fetch: [new URL(path, url).href],
  };
}

test("an answer whose sound the server has not given out yet goes again after the sound was fetched", async () => {
  server.reply = (body) => ({
    status: 200,
    results: body.events.map((one) => (server.fetched.length ? server.store(one) : soundMissing(one))),
  });
  const { outbox, news } = await open();
  const [first, second] = [event("page"), event("page")];
  await outbox.add(first);
  await outbox.add(second);
  await until(() => server.stored.size === 2);
  assert.deepEqual(new Set(server.fetched), new Set(["/votes/sound/"]));
  await until(() => !outbox.waiting.length);
  assert.deepEqual(new Set(news.flatMap(({ verdicts }) => verdicts.map(({ status }) => status))), new Set(["stored"]));
});

test("where fetching does not help, the answer is refused in the end and its page can come again", async () => {
  server.reply = (body) => ({ status: 200, results: body.events.map((one) => soundMissing(one)) });
  const { outbox, news } = await open();
  await outbox.add(event("page"));
  await until(() => !outbox.waiting.length);
  assert.equal(server.fetched.length, 2);
  assert.equal(server.bodies.length, 3);
  const [verdict] = news.at(-1)?.verdicts ?? [];
  assert.deepEqual([verdict?.status, verdict?.trial, verdict?.detail], ["refused", "page", "Listen first."]);
});

test("a sound that is not to be had any more ends the matter at once", async () => {
  server.sound = () => 410;
  server.reply = (body) => ({ status: 200, results: body.events.map((one) => soundMissing(one)) });
  const { outbox, news } = await open();
  await outbox.add(event());
  await until(() => !outbox.waiting.length);
  assert.equal(server.bodies.length, 1);
  assert.equal(news.at(-1)?.verdicts[0]?.status, "refused");
});

test("a sound that cannot be fetched now keeps its answer waiting, and is asked for again", async () => {
  server.sound = () => (server.fetched.length > 1 ? 200 : 503);
  server.reply = (body) => ({
    status: 200,
    results: body.events.map((one) => (server.fetched.length > 1 ? server.store(one) : soundMissing(one))),
  });
  const { outbox } = await open();
  await outbox.add(event());
  await until(() => server.stored.size === 1);
  assert.equal(server.fetched.length, 2);
});

test("a server that asks for patience is left alone, also when more answers come, and loses none", async (t) => {
  const pass = clockOf(t);
  server.reply = () => ({ status: 429, retryAfterS: 40 });
  const { outbox } = await open();
  await outbox.add(event());
  await until(() => server.bodies.length === 1);
  for (let n = 0; n < 5; n += 1) {
    await outbox.add(event());
    outbox.wake();
  }
  assert.equal(server.bodies.length, 1);
  server.reply = (body) => ({ status: 200, results: body.events.map((one) => server.store(one)) });
  pass(40_001);
  outbox.wake();
  await until(() => server.stored.size === 6);
  assert.equal(server.bodies.length, 2);
});
