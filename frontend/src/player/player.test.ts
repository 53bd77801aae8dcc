import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { FakeBuffer, FakeContext, type FakeGain, installFakeAudio } from "./fakeAudio.ts";
import { type Clip, FADE_S, LEAD_S, Player } from "./player.ts";

const RATE_HZ = 48_000;
let scope = new Scope();
let context = new FakeContext({ sampleRate: RATE_HZ });
let player: Player;

function clip(durationS = 2): Clip {
  const buffer = new FakeBuffer(new Float32Array(durationS * RATE_HZ), RATE_HZ);
  return { buffer: buffer as unknown as AudioBuffer, durationS };
}

/** The gain of each voice at a time. */
function gainsAt(timeS: number): number[] {
  return context.sources.map(({ target }) => (target as FakeGain).gain.valueAt(timeS));
}

/** Times one sample apart. */
function* samples(fromS: number, toS: number): Generator<number> {
  for (let frame = Math.round(fromS * RATE_HZ); frame <= toS * RATE_HZ; frame += 1) yield frame / RATE_HZ;
}

/** The gains add up to 1 at every sample, and none moves faster than a full fade does. */
function assertSmooth(fromS: number, toS: number): void {
  const steepest = 1 / (FADE_S * RATE_HZ) + 1e-9;
  let before = gainsAt(fromS);
  for (const timeS of samples(fromS, toS)) {
    const gains = gainsAt(timeS);
    assert.ok(Math.abs(gains.reduce((sum, gain) => sum + gain, 0) - 1) < 1e-9, `the gains at ${timeS} s add up to 1`);
    gains.forEach((gain, voice) => {
      assert.ok(Math.abs(gain - (before[voice] ?? 0)) <= steepest, `voice ${voice} jumps at ${timeS} s`);
    });
    before = gains;
  }
}

/** Let timers and promises of this moment run. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

beforeEach(() => {
  installFakeAudio();
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { visibilityState: "visible" }) });
  scope = new Scope();
  context = new FakeContext({ sampleRate: RATE_HZ });
  player = new Player(scope, context as unknown as AudioContext);
});

test("all voices start at one time and one is heard", () => {
  context.advance(1);
  player.start([clip(), clip(), clip()], { voice: 1 });
  assert.deepEqual(
    context.sources.map(({ startS, offsetS }) => [startS, offsetS]),
    [
      [1, 0],
      [1, 0],
      [1, 0],
    ],
  );
  assert.deepEqual(gainsAt(1), [0, 1, 0]);
});

test("a switch keeps the sample position: no source is started, stopped or moved", () => {
  const playback = player.start([clip(), clip(), clip()]);
  context.advance(0.7);
  playback.switchTo(2);
  assert.ok(Math.abs(playback.positionS - 0.7) < 1e-9);
  assert.equal(context.sources.length, 3);
  for (const { startS, offsetS, stopS } of context.sources)
    assert.deepEqual([startS, offsetS, stopS], [0, 0, Number.POSITIVE_INFINITY]);
  context.advance(LEAD_S + FADE_S);
  assert.ok(Math.abs(playback.positionS - 0.7 - LEAD_S - FADE_S) < 1e-9);
  assert.deepEqual([playback.active, ...gainsAt(context.currentTime + 1e-9)], [2, 0, 0, 1]);
});

test("during a switch the gains add up to 1 and nothing jumps", () => {
  const playback = player.start([clip(), clip()]);
  context.advance(0.5);
  playback.switchTo(1);
  assertSmooth(0.49, 0.54);
  const middle = gainsAt(0.5 + LEAD_S + FADE_S / 2);
  assert.ok(middle.every((gain) => Math.abs(gain - 0.5) < 1e-9));
});

test("a switch in the middle of a switch goes on from the gains of that moment", () => {
  const playback = player.start([clip(), clip(), clip()]);
  context.advance(0.5);
  playback.switchTo(1);
  context.advance(FADE_S / 2);
  playback.switchTo(2);
  context.advance(FADE_S / 4);
  playback.switchTo(0);
  assertSmooth(0.49, 0.56);
  assert.deepEqual(gainsAt(0.56), [1, 0, 0]);
});

test("in Firefox start, switch and cut are scheduled further ahead, because a change comes late there", () => {
  context.baseLatency = 0;
  const playback = player.start([clip(), clip()]);
  assert.deepEqual([playback.startedAt, ...context.sources.map(({ startS }) => startS)], [0.06, 0.06, 0.06]);
  context.advance(0.5);
  playback.switchTo(1);
  assertSmooth(0.49, 0.6);
  assert.deepEqual(
    [gainsAt(0.56 - 1e-9), gainsAt(0.56 + FADE_S + 1e-9)],
    [
      [1, 0],
      [0, 1],
    ],
  );
  context.advance(0.5);
  playback.cut("stopped");
  assert.ok(context.sources.every(({ stopS }) => Math.abs(stopS - 1.065) < 1e-9));
});

test("what each voice was heard adds up to the time that was played", async () => {
  const playback = player.start([clip(), clip()]);
  context.advance(0.5);
  playback.switchTo(1);
  context.advance(1.5);
  await settled();
  const [first = 0, second = 0] = playback.heardS;
  assert.ok(Math.abs(first - 0.5 - LEAD_S) < 1e-9);
  assert.ok(Math.abs(first + second - 2) < 1e-9);
  assert.equal((await playback.ended).outcome, "ended");
});

test("position and time heard stand still when playing is over", async () => {
  const cut = player.start([clip(), clip()]);
  context.advance(0.5);
  player.stop();
  const whole = player.start([clip(), clip()], { fromS: 1.5 });
  context.advance(1);
  await whole.ended;
  context.advance(5);
  assert.deepEqual([cut.positionS, ...cut.heardS], [0.5, 0.5, 0]);
  assert.deepEqual([whole.positionS, ...whole.heardS], [2, 0.5, 0]);
});

test("a loop repeats one region in every voice, and the position follows it", () => {
  const playback = player.start([clip(), clip()], { fromS: 0.25, loop: { fromS: 0.5, toS: 1 } });
  for (const source of context.sources)
    assert.deepEqual([source.offsetS, source.loop, source.loopStart, source.loopEnd], [0.25, true, 0.5, 1]);
  context.advance(0.5);
  assert.ok(Math.abs(playback.positionS - 0.75) < 1e-9);
  context.advance(1.4); // 0.25 s to the end of the region, then twice around and 0.4 s
  assert.ok(Math.abs(playback.positionS - 0.65) < 1e-9);
});

test("one clip is one voice, and its presentation is told by the audio clock", async () => {
  context.advance(3);
  const presentation = player.play(clip(0.5));
  context.advance(0.5);
  const { outcome, startedAt, endedAt, durationS } = await presentation;
  assert.deepEqual(
    { outcome, startedAt, endedAt, durationS },
    { outcome: "ended", startedAt: 3, endedAt: 3.5, durationS: 0.5 },
  );
  assert.equal(context.sources.length, 1);
});

test("a clip waits for the second of the clock that it is given", async () => {
  const first = player.play(clip(0.5));
  context.advance(0.52); // the end is told a little late
  const { startedAt, durationS } = await first;
  const second = player.play(clip(0.5), startedAt + durationS + 0.25);
  assert.deepEqual(
    context.sources.map(({ startS }) => startS),
    [0, 0.75],
  );
  context.advance(1);
  assert.equal((await second).startedAt, 0.75);
});

test("the end of a scope stops its voices with a ramp and leaves nothing behind", async () => {
  const page = new Scope();
  const owned = page.size;
  const playback = player.start([clip(), clip()], { scope: page });
  context.advance(0.5);
  page.dispose();
  const { outcome, endedAt } = await playback.ended;
  assert.deepEqual([outcome, endedAt, page.size], ["stopped", 0.5, owned]);
  for (const { stopS } of context.sources) assert.ok(Math.abs(stopS - 0.505) < 1e-9);
  playback.switchTo(1);
  assert.equal(playback.active, 0);
});

test("what is started ends what was playing, and an interruption voids it", async () => {
  const first = player.start([clip(), clip()]);
  const second = player.start([clip()]);
  assert.equal((await first.ended).outcome, "stopped");
  Object.assign(document, { visibilityState: "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
  const { outcome, interruption } = await second.ended;
  assert.deepEqual([outcome, interruption], ["voided", "hidden"]);
});
