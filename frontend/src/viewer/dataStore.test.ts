import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Problem, Unreachable } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { ByteCache, DataStore, Loader } from "./dataStore.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("the cache stays within its bytes and lets the least recently used go", () => {
  const released: string[] = [];
  const cache = new ByteCache<string>(100, (value) => released.push(value));
  for (const name of ["a", "b", "c"]) cache.set(name, name, 30);
  cache.get("a");
  cache.peek("b");
  cache.set("d", "d", 30);
  assert.deepEqual(released, ["b"]);
  assert.deepEqual(cache.keys(), ["c", "a", "d"]);
  assert.equal(cache.bytes, 90);
});

test("a new version takes the old one's place, and one too large for the bound is still kept alone", () => {
  const released: string[] = [];
  const cache = new ByteCache<string>(100, (value) => released.push(value));
  cache.set("a", "old", 60);
  cache.set("a", "new", 60);
  assert.deepEqual([released, cache.bytes], [["old"], 60]);
  cache.set("b", "huge", 500);
  assert.deepEqual(cache.keys(), ["b"]);
  cache.clear();
  assert.deepEqual([cache.bytes, cache.size, released.length], [0, 0, 3]);
});

interface Call {
  key: string;
  signal: AbortSignal;
  finish(): void;
  fail(error: unknown): void;
}

function makeLoader() {
  const scope = new Scope();
  const calls: Call[] = [];
  let changes = 0;
  const loader = new Loader({
    scope,
    load: (key, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
        calls.push({ key, signal, finish: resolve, fail: reject });
      }),
    changed: () => {
      changes += 1;
    },
    pause: (failures) => failures * 1000,
  });
  return { scope, loader, calls, keys: () => calls.map(({ key }) => key), changes: () => changes };
}

test("the most urgent are fetched first, four at a time", async () => {
  const { loader, calls, keys, changes } = makeLoader();
  loader.want(["a", "b", "c", "d", "e", "f"]);
  assert.deepEqual(keys(), ["a", "b", "c", "d"]);
  calls[1]?.finish();
  await settled();
  assert.deepEqual(keys(), ["a", "b", "c", "d", "e"]);
  assert.equal(changes(), 1);
});

test("what is no longer wanted is aborted, what still is goes on, and nothing is fetched twice at a time", async () => {
  const { loader, calls, keys } = makeLoader();
  loader.want(["a", "b", "c", "d", "e"]);
  loader.want(["x", "b"]);
  assert.deepEqual(
    calls.map(({ signal }) => signal.aborted),
    [true, false, true, true],
  );
  await settled();
  assert.deepEqual(keys(), ["a", "b", "c", "d", "x"]);
  assert.equal(loader.running, 2);
  assert.equal(loader.failing, false, "an abort is no failure");
});

test("a failure is tried again after growing pauses, and others go on meanwhile", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { loader, calls, keys } = makeLoader();
    loader.want(["a", "b"]);
    calls[0]?.fail(new Unreachable());
    calls[1]?.finish();
    await settled();
    assert.equal(loader.failed("a"), true);
    assert.equal(loader.failing, true);
    mock.timers.tick(999);
    assert.deepEqual(keys(), ["a", "b"]);
    mock.timers.tick(1);
    assert.deepEqual(keys(), ["a", "b", "a"]);
    calls[2]?.fail(new Problem(503, {}));
    await settled();
    mock.timers.tick(1999);
    assert.equal(calls.length, 3);
    mock.timers.tick(1);
    assert.equal(calls.length, 4);
    calls[3]?.finish();
    await settled();
    assert.equal(loader.failed("a"), false);
  } finally {
    mock.timers.reset();
  }
});

test("what the server answered with an error is not asked for again at once", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const { loader, calls } = makeLoader();
    loader.want(["a"]);
    calls[0]?.fail(new Problem(404, {}));
    await settled();
    mock.timers.tick(29_000);
    assert.equal(calls.length, 1);
  } finally {
    mock.timers.reset();
  }
});

test("the end of the scope aborts everything and leaves no timer", async () => {
  const { scope, loader, calls } = makeLoader();
  loader.want(["a", "b", "c"]);
  calls[2]?.fail(new Unreachable());
  await settled();
  scope.dispose();
  await settled();
  assert.deepEqual(
    calls.slice(0, 2).map(({ signal }) => signal.aborted),
    [true, true],
  );
  assert.deepEqual([loader.running, scope.size, calls.length], [0, 0, 3]);
});

interface Thing {
  name: string;
  complete: boolean;
}

/** Room for three things of thirty bytes; while `ready` is false they come incomplete. */
function makeStore() {
  const scope = new Scope();
  const server = { ready: true, asked: [] as string[], late: Promise.resolve() };
  const released: string[] = [];
  const store = new DataStore<Thing>(
    { scope, changed: () => {} },
    {
      limitBytes: 100,
      fetch: async (name) => {
        server.asked.push(name);
        await server.late;
        return { name, complete: server.ready };
      },
      byteCount: () => 30,
      release: ({ name }) => released.push(name),
    },
  );
  return { scope, server, store, released };
}

test("what is here is not fetched again, and counts as used when it is wanted", async () => {
  const { server, store, released } = makeStore();
  store.want(["a", "b", "c"]);
  await settled();
  store.want(["a", "d"]);
  await settled();
  assert.deepEqual(server.asked, ["a", "b", "c", "d"]);
  assert.deepEqual(released, ["b"]);
  assert.equal(store.peek("a")?.name, "a");
});

test("what came incomplete serves until more is ready, and is then fetched again when it is wanted", async () => {
  const { server, store } = makeStore();
  store.want(["whole"]);
  await settled();
  server.ready = false;
  store.want(["part"]);
  await settled();
  store.want(["whole", "part"]);
  assert.deepEqual(server.asked, ["whole", "part"], "nothing more is ready yet");
  server.ready = true;
  store.refresh();
  assert.equal(store.get("part")?.complete, false);
  for (let round = 0; round < 2; round += 1) {
    store.want(["whole", "part"]);
    await settled();
  }
  assert.deepEqual(server.asked, ["whole", "part", "part"]);
  assert.equal(store.get("part")?.complete, true);
});

test("the end of the scope lets everything go, and what arrives after it is not kept", async () => {
  const { scope, server, store, released } = makeStore();
  store.want(["a"]);
  await settled();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.late = promise;
  store.want(["b"]);
  scope.dispose();
  resolve();
  await settled();
  assert.deepEqual([released, store.has("a"), store.has("b")], [["a"], false, false]);
});
