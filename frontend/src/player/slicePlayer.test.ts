import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Problem, Unreachable } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { FakeContext, installFakeAudio } from "./fakeAudio.ts";
import { openContexts } from "./output.ts";
import { type PlayerNews, SlicePlayer } from "./slicePlayer.ts";

const RATE = 1000;
const LENGTH = 400_000;
const LEAD = 7;

/** Every sample is its own number, so that the ear knows which one it hears. */
function sliceOf(start: number, count: number): { bytes: ArrayBuffer; lead: number; length: number } {
  const lead = Math.min(LEAD, start);
  const samples = Float32Array.from({ length: lead + count + 3 }, (_, index) => start - lead + index);
  return { bytes: samples.buffer, lead, length: count };
}

interface World {
  scope: Scope;
  player: SlicePlayer;
  asked: [number, number][];
  news: (PlayerNews & { type: string })[];
  /** Called instead of answering, while set. */
  trouble: (() => unknown) | null;
}

const worlds: World[] = [];

function makeWorld(longestSamples = 10_000, lengthSamples = LENGTH): World {
  const scope = new Scope();
  const world: World = { scope, asked: [], news: [], trouble: null, player: null as never };
  world.player = new SlicePlayer(scope, {
    sampleRateHz: RATE,
    channels: 1,
    lengthSamples,
    longestSamples,
    slice: async (start, count) => {
      world.asked.push([start, count]);
      if (world.trouble) throw world.trouble();
      return sliceOf(start, count);
    },
  });
  for (const type of ["start", "stall", "resume", "trouble", "recover", "stop"])
    scope.listen<CustomEvent<PlayerNews>>(world.player.events, type, ({ detail }) =>
      world.news.push({ type, ...detail }),
    );
  worlds.push(world);
  return world;
}

const device = () => FakeContext.opened.at(-1) as FakeContext;

/** Let promises run, and with them the timers and the sound device, in steps of a twentieth of a second. */
async function pass(seconds: number): Promise<void> {
  for (let at = 0; at <= seconds + 1e-9; at += 0.05) {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(50);
    FakeContext.opened.at(-1)?.advance(0.05);
  }
}

function heardInOrder(): number[] {
  return [...device().played()].sort(([one], [other]) => one - other).map(([, value]) => value);
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

beforeEach(() => {
  installFakeAudio();
  FakeContext.opened = [];
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
});
afterEach(() => {
  for (const { scope } of worlds.splice(0)) scope.dispose();
  mock.timers.reset();
});

test("a passage sounds sample by sample, over every joint, and ends exactly", async () => {
  const { player, news } = makeWorld(500);
  void player.play(12_345, { from: 12_345, to: 18_000 });
  await pass(7);
  assert.deepEqual(heardInOrder(), numbers(12_345, 18_000));
  const frames = [...device().played().keys()].sort((one, other) => one - other);
  assert.equal((frames.at(-1) ?? 0) - (frames[0] ?? 0), 18_000 - 12_345 - 1, "no frame is left out");
  assert.deepEqual(
    news.map(({ type, sample, reason }) => [type, sample, reason]),
    [
      ["start", 12_345, undefined],
      ["stop", 18_000, "end"],
    ],
  );
  assert.equal(device().ramps.at(-1)?.[0], 0);
  assert.equal(player.position(), 18_000);
});

test("what a busy machine started too late is started anew: nothing sounds beside its place or over the next piece", async () => {
  const { player, news } = makeWorld(500);
  player.warm();
  device().delaysS.push(0.05, 0.2);
  void player.play(3000, { from: 3000, to: 8000 });
  await pass(7);
  assert.deepEqual(heardInOrder(), numbers(3000, 8000));
  const [began] = [...device().played()].find(([, value]) => value === 3000) ?? [];
  assert.ok(began && began > 250, "after both delays");
  assert.equal(Math.floor((news[0]?.clockS ?? 0) * RATE), began);
  assert.deepEqual(
    news.map(({ type }) => type),
    ["start", "stop"],
  );
});

test("a change right after a late start takes nothing away", async () => {
  const { player } = makeWorld(500);
  player.warm();
  device().delaysS.push(0.05, 0.2);
  void player.play(3000, { from: 3000, to: 8000 });
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(device().sources.length, "it is scheduled");
  assert.ok((device().sources[0]?.startS ?? 0) > device().currentTime + 0.03, "further ahead than usual");
  player.change({ from: 3000, to: 7000, loop: false });
  await pass(7);
  assert.deepEqual(heardInOrder(), numbers(3000, 7000));
});

test("a probe of two seconds is one request, and of exactly its samples", async () => {
  const { player, asked } = makeWorld();
  void player.play(100_000, { from: 100_000, to: 102_000 });
  await pass(3);
  assert.deepEqual(asked, [[100_000, 2000]]);
});

test("a clip that fits into one request is fetched once, and played again from what is there", async () => {
  const { player, asked } = makeWorld(10_000, 4000);
  void player.play(1500, { from: 0, to: 4000 });
  await pass(1);
  player.stop();
  void player.play(200, { from: 0, to: 4000 });
  await pass(1);
  assert.deepEqual(asked, [[0, 4000]]);
  player.stop();
  const before = device().sources.length;
  void player.play(1000, { from: 1000, to: 1250 });
  await pass(1);
  assert.equal(device().sources.slice(before)[0]?.buffer.length, 250, "a part of it ends at its own end");
});

test("a loop comes round without a gap, and its end can be taken away while it sounds", async () => {
  const { player, asked } = makeWorld();
  void player.play(5300, { from: 5000, to: 5700, loop: true });
  await pass(2);
  player.change({ from: 5000, to: 5700, loop: false });
  await pass(3);
  const heard = heardInOrder();
  assert.deepEqual(heard.slice(0, 400), numbers(5300, 5700));
  assert.deepEqual(heard.slice(400, 1100), numbers(5000, 5700));
  assert.equal((heard.length - 400) % 700, 0, "it stops at the end of a round");
  assert.equal(player.state, "idle");
  assert.equal(asked.length, 2);
});

test("an end that is moved nearer is kept to the sample", async () => {
  const { player, news } = makeWorld();
  void player.play(0, { from: 0, to: 9000 });
  await pass(0.5);
  player.change({ from: 0, to: 800, loop: false });
  await pass(2);
  assert.deepEqual(heardInOrder(), numbers(0, 800));
  assert.equal(news.at(-1)?.reason, "end");
});

test("stopping ramps down within five milliseconds and tells where", async () => {
  const { player, news } = makeWorld();
  void player.play(2000);
  await pass(1);
  const now = device().currentTime;
  player.stop();
  assert.deepEqual(device().ramps, [[0, now + 0.005]]);
  assert.ok(device().sources.every(({ stopS, endS }) => stopS <= now + 0.005 || endS <= now));
  const stopped = news.at(-1);
  assert.equal(stopped?.reason, "user");
  assert.ok(stopped && stopped.sample > 2900 && stopped.sample <= 3050, "about a second after 2000");
  assert.equal(player.position(), stopped?.sample);
});

test("the position is the sample that the clock says, in whole samples", async () => {
  const { player, news } = makeWorld();
  void player.play(300_000);
  await pass(2);
  const began = news[0]?.clockS ?? 0;
  assert.equal(player.position(), 300_000 + Math.floor((device().currentTime - began) * RATE + 1e-6));
  assert.equal(player.sampleAt(began + 1), 301_000);
});

test("the end is told when the ear has heard it, also where the audio clock runs slower than the timers", async () => {
  const { player, news } = makeWorld();
  void player.play(0, { from: 0, to: 1000 });
  await pass(0.2);
  device().outputLatency = 0.1;
  while (device().currentTime < 1.05) await pass(0);
  const before = player.position();
  mock.timers.tick(500);
  assert.equal(player.position(), before);
  assert.equal(player.state, "playing");
  await pass(0.2);
  assert.deepEqual([news.at(-1)?.type, news.at(-1)?.sample], ["stop", 1000]);
});

test("a server that is away is asked again, and the sound goes on where it was", async () => {
  const world = makeWorld();
  void world.player.play(0);
  await pass(0.3);
  world.trouble = () => new Unreachable();
  await pass(6);
  assert.equal(world.player.state, "stalled");
  world.trouble = null;
  await pass(6);
  assert.equal(world.player.state, "playing");
  const types = world.news.map(({ type }) => type);
  for (const type of ["trouble", "stall", "recover", "resume"]) assert.ok(types.includes(type), type);
  const heard = heardInOrder();
  assert.deepEqual(heard, numbers(0, heard.length), "nothing was left out and nothing came twice");
});

test("an error ends the playing with a reason", async () => {
  const world = makeWorld();
  world.trouble = () => new Problem(404, {});
  void world.player.play(0);
  await pass(0.5);
  assert.deepEqual([world.player.state, world.news.at(-1)?.reason, world.asked.length], ["idle", "failed", 1]);
});

test("an interrupted device ends the playing; a browser that keeps the sound off is told apart", async () => {
  const world = makeWorld();
  void world.player.play(0);
  await pass(0.5);
  device().state = "suspended";
  device().dispatchEvent(new Event("statechange"));
  assert.equal(world.news.at(-1)?.reason, "interrupted");
  const again = world.player.play(0);
  await pass(2);
  assert.equal(await again, false);
  assert.equal(world.news.at(-1)?.reason, "blocked");
});

test("one sound at a time: who begins ends the other", async () => {
  const [one, other] = [makeWorld(), makeWorld()];
  void one.player.play(0);
  await pass(0.3);
  void other.player.play(0);
  await pass(0.3);
  assert.deepEqual([one.player.state, other.player.state], ["idle", "playing"]);
  assert.equal(openContexts(), 1, "and both share one clock");
  one.scope.dispose();
  other.scope.dispose();
  assert.equal(openContexts(), 0);
  assert.equal(device().state, "closed");
});

test("a thousand players leave nothing behind, wherever they are cut off", async () => {
  const outer = new Scope();
  for (let index = 0; index < 1000; index += 1) {
    const scope = outer.child();
    const player = new SlicePlayer(scope, {
      sampleRateHz: RATE,
      channels: 1,
      lengthSamples: LENGTH,
      longestSamples: 500,
      slice: async (start, count) => sliceOf(start, count),
    });
    void player.play(index);
    for (let turn = 0; turn < index % 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    scope.dispose();
  }
  assert.deepEqual([outer.size, openContexts()], [0, 0]);
});
