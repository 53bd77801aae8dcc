import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { Comparison } from "./comparison.ts";
import { FakeBuffer, FakeContext, installFakeAudio } from "./fakeAudio.ts";
import { type Clip, LEAD_S, Player } from "./player.ts";

const RATE_HZ = 8000;
const [A, B, X] = [0, 1, 2];
let context = new FakeContext({ sampleRate: RATE_HZ });
let scope = new Scope();
let player: Player;
let changes = 0;

const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

function clip(durationS: number): Clip {
  const buffer = new FakeBuffer(new Float32Array(durationS * RATE_HZ), RATE_HZ);
  return { buffer: buffer as unknown as AudioBuffer, durationS };
}

function comparison(change: { loop?: boolean; playsAllowed?: number } = {}): Comparison {
  const clips = [clip(2), clip(2), clip(2)];
  const changed = () => {
    changes += 1;
  };
  return new Comparison({ player, clips, scope, loop: true, playsAllowed: 0, changed, ...change });
}

function near(found: readonly number[], expected: readonly number[]): void {
  assert.equal(found.length, expected.length);
  found.forEach((value, place) => {
    assert.ok(Math.abs(value - (expected[place] ?? 0)) < 1e-6, `${found} is not ${expected}`);
  });
}

beforeEach(() => {
  installFakeAudio();
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { visibilityState: "visible" }) });
  context = new FakeContext({ sampleRate: RATE_HZ });
  scope = new Scope();
  player = new Player(scope, context as unknown as AudioContext);
  changes = 0;
});

test("a switch keeps all sounds running at one position, and is counted while they play", () => {
  const sounds = comparison();
  sounds.hear(X);
  context.advance(0.5);
  sounds.hear(A);
  assert.equal(context.sources.length, 3, "nothing is started again");
  near([sounds.positionS], [0.5]);
  context.advance(1);
  assert.deepEqual([sounds.active, sounds.playing, sounds.switches], [A, true, 1]);
  near(sounds.heardS, [1 - LEAD_S, 0, 0.5 + LEAD_S]);
  assert.equal(changes, 2);
});

test("a pause keeps position and sound; playing goes on from there with the sound that was chosen meanwhile", async () => {
  const sounds = comparison();
  sounds.hear(A);
  context.advance(0.75);
  sounds.toggle();
  await settled();
  context.advance(3);
  assert.deepEqual([sounds.playing, sounds.positionS], [false, 0.75]);
  sounds.hear(B);
  assert.deepEqual(
    context.sources.slice(3).map(({ offsetS }) => offsetS),
    [0.75, 0.75, 0.75],
  );
  context.advance(0.25);
  near(sounds.heardS, [0.75, 0.25, 0]);
  assert.equal(sounds.switches, 0, "a choice while nothing plays is no switch");
});

test("a sound counts as heard after half a second, in however many pieces", async () => {
  const sounds = comparison();
  for (const voice of [A, B, X, B]) {
    sounds.hear(voice);
    context.advance(voice === B ? 0.3 : 0.6);
  }
  assert.deepEqual(sounds.isHeard, [true, true, true]);
  assert.deepEqual(comparison().isHeard, [false, false, false]);
});

test("sounds begin again at their end, or stop there and then begin anew", async () => {
  const looped = comparison();
  looped.hear(A);
  context.advance(4.5);
  near([looped.positionS], [0.5]);
  player.stop();
  const once = comparison({ loop: false });
  once.hear(A);
  context.advance(2.1);
  await settled();
  assert.deepEqual([once.playing, once.positionS], [false, 2]);
  once.toggle();
  assert.deepEqual([once.playing, once.positionS], [true, 0]);
});

test("seeking moves all sounds, and is no further play", async () => {
  const sounds = comparison();
  sounds.hear(B);
  context.advance(0.2);
  sounds.seek(1.5);
  context.advance(0.3);
  near([sounds.positionS, ...sounds.heardS], [1.8, 0, 0.5, 0]);
  await settled();
  assert.equal(sounds.heard(0).plays, 1);
});

test("where plays are counted, each goes from the beginning to the end and none is left after the last", async () => {
  const sounds = comparison({ playsAllowed: 2 });
  sounds.hear(A);
  context.advance(0.5);
  sounds.seek(1.5);
  near([sounds.positionS], [0.5]);
  sounds.toggle();
  await settled();
  sounds.toggle();
  assert.deepEqual([sounds.positionS, sounds.playsLeft], [0, 0]);
  context.advance(2.1);
  await settled();
  sounds.hear(B);
  assert.equal(sounds.playing, false);
});

test("the record says how long sounds were heard, whether all were heard whole, and what interrupted them", async () => {
  const sounds = comparison();
  sounds.hear(A);
  context.advance(2.5);
  sounds.hear(B);
  context.advance(2.5);
  assert.equal(sounds.heard(0).heard_full, false);
  sounds.hear(X);
  context.advance(2.5);
  Object.assign(document, { visibilityState: "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
  await settled();
  const { plays, heard_ms, heard_full, interruptions, answer_ms } = sounds.heard(performance.now() + 400);
  assert.deepEqual([plays, heard_ms, heard_full, interruptions, sounds.playing], [1, 7500, true, ["hidden"], false]);
  assert.ok(answer_ms >= 400);
});

test("the end of the page ends the sound", () => {
  comparison().hear(X);
  scope.dispose();
  assert.ok(context.sources.every(({ stopS }) => stopS <= 0.01));
});
