import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { answerWith } from "../../../frontend/src/viewer/fakePage.ts";
import { Prefetch, PrefetchedSound, prepareSound, slicesOf } from "./prefetch.ts";

const RATE = 100;
const LEAD = 7;

let asked: string[] = [];
let online = true;

/** A server whose slices are as many bytes as samples, each with the same lead. */
async function answer(url: string): Promise<Response> {
  asked.push(url);
  if (!online) throw new TypeError("no network");
  if (url.endsWith("manifest/")) return Response.json(MANIFEST);
  const count = Number(new URL(url, "http://x").searchParams.get("count"));
  const headers = { "Earmark-Lead": String(LEAD), "Earmark-Length": String(count) };
  return new Response(new Uint8Array(count), { headers });
}

const MANIFEST = answerWith({
  length_samples: 25 * RATE,
  sample_rate_hz: RATE,
  slices: { longest_samples: 10 * RATE },
});

const never = new AbortController().signal;
const soon = (milliseconds = 5) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function until(comesTrue: () => boolean): Promise<void> {
  while (!comesTrue()) await soon(); // the runner's own limit ends what never comes
}

beforeEach(() => {
  asked = [];
  online = true;
  globalThis.fetch = ((url: string) => answer(url)) as typeof fetch;
});

test("a short sound is cut into slices of the longest kind, and the last is shorter", () => {
  assert.deepEqual(
    slicesOf({ length_samples: 25, slices: { longest_samples: 10 } }).map(({ start, stop }) => [start, stop]),
    [
      [0, 10],
      [10, 20],
      [20, 25],
    ],
  );
});

test("what is held sounds without asking, from any sample of it, as far as it is held", async () => {
  const sound = new PrefetchedSound("/a/");
  await sound.hold({ start: 200, stop: 400 }, never);
  asked = [];
  const whole = await sound.slice(200, 200, never);
  assert.deepEqual([whole.lead, whole.length, whole.bytes.byteLength], [LEAD, 200, 200]);
  const later = await sound.slice(350, 200, never);
  assert.deepEqual([later.lead, later.length], [LEAD + 150, 50]);
  assert.deepEqual(asked, []);
});

test("decoding takes the bytes away, and they can be had again", async () => {
  const sound = new PrefetchedSound("/a/");
  await sound.hold({ start: 0, stop: 200 }, never);
  const { bytes } = await sound.slice(0, 200, never);
  structuredClone(bytes, { transfer: [bytes] });
  assert.equal((await sound.slice(0, 200, never)).bytes.byteLength, 200);
});

test("what is not held is asked for as usual", async () => {
  const sound = new PrefetchedSound("/a/");
  await sound.hold({ start: 0, stop: 200 }, never);
  await sound.slice(200, 100, never);
  assert.equal(asked.at(-1), "/a/slice/?start=200&count=100");
});

test("what a page shows first is fetched before its turn, once, also where the page opens meanwhile", async () => {
  const ahead = prepareSound("/ahead/", never);
  const sound = new PrefetchedSound("/ahead/");
  assert.equal((await sound.manifest(never)).length_samples, 25 * RATE);
  await ahead;
  await prepareSound("/ahead/", never);
  await new PrefetchedSound("/ahead/").manifest(never);
  assert.deepEqual(asked, ["/ahead/manifest/", `/ahead/tiles/max/${MANIFEST.spectrogram.levels - 1}/0/`]);
});

test("a sound that is still being prepared or could not be reached is asked for when its page is opened", async () => {
  globalThis.fetch = (async () => Response.json({ ...MANIFEST, state: "ingesting", ready: [] })) as typeof fetch;
  await prepareSound("/not-ready/", never);
  globalThis.fetch = ((url: string) => answer(url)) as typeof fetch;
  assert.equal((await new PrefetchedSound("/not-ready/").manifest(never)).state, "ready");
  online = false;
  await assert.rejects(prepareSound("/offline/", never));
  online = true;
  assert.equal((await new PrefetchedSound("/offline/").manifest(never)).length_samples, 25 * RATE);
});

test("a manifest that is complete is asked for once", async () => {
  const sound = new PrefetchedSound("/a/");
  await sound.manifest(never);
  await sound.manifest(never);
  assert.deepEqual(asked, ["/a/manifest/"]);
});

test("probes come first, then the summaries, and in the end all of it is ready", async () => {
  const scope = new Scope();
  const full = new PrefetchedSound("/full/");
  await full.manifest(never);
  const summaries = new Map([["s1", new PrefetchedSound("/s1/")]]);
  const told: [number, number][] = [];
  const changed = (ready: number, total: number) => void told.push([ready, total]);
  const prefetch = new Prefetch({ scope, full, summaries, changed });
  prefetch.setProbes([
    { start: 900, stop: 1100 },
    { start: 100, stop: 300 },
  ]);
  await soon();
  assert.deepEqual(told.at(-1), [0, 3], "nothing is fetched before it begins");
  prefetch.begin();
  await until(() => told.at(-1)?.[0] === 3);
  assert.deepEqual(told.at(-1), [3, 3], "two probes and a summary");
  const probes = asked.filter((url) => url.startsWith("/full/slice"));
  assert.deepEqual(probes, ["/full/slice/?start=900&count=200", "/full/slice/?start=100&count=200"]);
  assert.ok(asked.indexOf(probes[1] as string) < asked.findIndex((url) => url.startsWith("/s1/slice")));
  asked = [];
  prefetch.setProbes([{ start: 100, stop: 300 }]);
  await soon();
  assert.deepEqual(asked, []);
  scope.dispose();
});

test("without a network nothing is ready, and nothing is given up", async () => {
  const scope = new Scope();
  online = false;
  const summaries = new Map([["s1", new PrefetchedSound("/s1/")]]);
  const told: number[] = [];
  const changed = (ready: number) => void told.push(ready);
  new Prefetch({ scope, full: new PrefetchedSound("/full/"), summaries, changed }).begin();
  await until(() => asked.length > 0);
  await soon();
  assert.equal(told.at(-1), 0);
  online = true;
  await until(() => told.at(-1) === 1);
  scope.dispose();
});

test("a summary that was chosen is fetched first, then the other summaries, and probes last", async () => {
  const scope = new Scope();
  const full = new PrefetchedSound("/full/");
  await full.manifest(never);
  const summaries = new Map(["s1", "s2", "s3"].map((token) => [token, new PrefetchedSound(`/${token}/`)]));
  for (const sound of summaries.values()) await sound.manifest(never);
  asked = [];
  let ready = 0;
  const changed = (count: number) => {
    ready = count;
  };
  const prefetch = new Prefetch({ scope, full, summaries, changed });
  prefetch.prefer("s2");
  prefetch.setProbes([{ start: 100, stop: 300 }]);
  await until(() => ready === 4);
  const last = (name: string) => asked.findLastIndex((url) => url.startsWith(name));
  const first = (name: string) => asked.findIndex((url, index) => index > 1 && url.startsWith(name));
  assert.ok(last("/s2/") < first("/s3/"), asked.join(" "));
  assert.ok(last("/s3/") < first("/full/"), asked.join(" "));
  scope.dispose();
});

test("while the ear waits for a slice, nothing else is begun", async () => {
  const scope = new Scope();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  globalThis.fetch = (async (url: string) => {
    if (url.includes("/full/slice")) await gate;
    return answer(url);
  }) as typeof fetch;
  const full = new PrefetchedSound("/full/");
  const summaries = new Map(["s1", "s2"].map((token) => [token, new PrefetchedSound(`/${token}/`)]));
  for (const sound of summaries.values()) await sound.manifest(never);
  let ready = 0;
  const changed = (count: number) => {
    ready = count;
  };
  const heard = full.slice(0, 100, never);
  asked = [];
  new Prefetch({ scope, full, summaries, changed }).begin();
  await soon();
  assert.deepEqual(asked, []);
  open();
  await heard;
  await until(() => ready === 2);
  scope.dispose();
});

test("a summary that was chosen ends what is fetched for others, and its sound goes before theirs and before pictures", async () => {
  const scope = new Scope();
  const underWay: { url: string; signal: AbortSignal; priority: string }[] = [];
  const summaries = new Map(["s1", "s2", "s3"].map((token) => [token, new PrefetchedSound(`/${token}/`)]));
  for (const sound of summaries.values()) await sound.manifest(never);
  globalThis.fetch = ((url: string, init: { signal: AbortSignal; priority: string }) => {
    underWay.push({ url, signal: init.signal, priority: init.priority });
    return new Promise(() => {});
  }) as typeof fetch;
  const prefetch = new Prefetch({ scope, full: new PrefetchedSound("/full/"), summaries, changed: () => {} });
  prefetch.begin();
  await soon();
  const before = underWay.splice(0);
  assert.deepEqual(new Set(before.map(({ url }) => url.slice(0, 4))), new Set(["/s1/"]));
  prefetch.prefer("s2");
  const chosen = summaries.get("s2") as PrefetchedSound;
  void chosen.slice(0, RATE, never);
  void chosen.tile("max", 0, 0, never);
  await soon();
  assert.ok(before.every(({ signal }) => signal.aborted));
  const open = underWay.filter(({ signal }) => !signal.aborted);
  const priorityOf = (part: string) => open.find(({ url }) => url.endsWith(part))?.priority;
  assert.deepEqual(
    [priorityOf(`count=${RATE}`), priorityOf("tiles/max/0/0/"), priorityOf("count=1000")],
    ["auto", "low", "low"],
  );
  assert.ok(open.every(({ url }) => url.startsWith("/s2/")));
  scope.dispose();
});
