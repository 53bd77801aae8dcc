import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import type { Heard, Json } from "../outbox/events.ts";
import { FakeBuffer, FakeContext, installFakeAudio } from "../player/fakeAudio.ts";
import { type Clip, Player } from "../player/player.ts";
import type { ShownPage, TrialFrame, WorkspaceHost } from "./contract.ts";
import { pageOf } from "./fakePages.ts";
import { type GatedForm, gatedForm } from "./gatedForm.ts";
import type { Phase } from "./screen.ts";

const RATE_HZ = 8000;
let context = new FakeContext({ sampleRate: RATE_HZ });
let scope = new Scope();
let phases: Phase[] = [];
let names: string[] = [];
let finished: { payload: Json; heard: Heard }[] = [];
const play = new EventTarget();
const next = Object.assign(new EventTarget(), { disabled: true });

const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Press a button, and let the page answer. */
async function press(button: EventTarget): Promise<void> {
  button.dispatchEvent(new Event("click"));
  await settled();
}

async function listen(seconds: number): Promise<void> {
  context.advance(seconds);
  await settled();
}

function clip(durationS: number): Clip {
  const buffer = new FakeBuffer(new Float32Array(durationS * RATE_HZ), RATE_HZ);
  return { buffer: buffer as unknown as AudioBuffer, durationS };
}

/** A page of two slots, and the form's own way to be answered. */
async function opened(change: Partial<GatedForm> = {}, frame: Partial<TrialFrame> = {}): Promise<() => void> {
  const media = { a: { url: "", duration_s: 1, sliced: false }, b: { url: "", duration_s: 0.5, sliced: false } };
  const page = { ...pageOf("t1", media), keys: { on() {} } } as unknown as ShownPage;
  const player = new Player(scope, context as unknown as AudioContext);
  const showPhase = (phase: Phase) => phases.push(phase);
  const nameSound = (name: string) => names.push(name);
  const screen = { play, next, view: {}, showPhase, nameSound, note() {}, focus() {} };
  const clips = Promise.resolve(new Map([["a", clip(1)] as const, ["b", clip(0.5)] as const]));
  const shown = { screen, player, clips, ...frame } as unknown as TrialFrame;
  const host = {
    showTrial: () => shown,
    finish: async (payload: Json, heard: Heard) => void finished.push({ payload, heard }),
  } as unknown as WorkspaceHost;
  let changed = () => {};
  let payload: Json | undefined;
  const onChange = (listener: () => void) => {
    changed = listener;
  };
  const mount = () => ({ answer: () => payload, onChange });
  gatedForm(host, page, scope, { mount, ...change });
  await settled();
  return () => {
    payload = { value: 4 };
    changed();
  };
}

beforeEach(() => {
  installFakeAudio();
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { visibilityState: "visible" }) });
  context = new FakeContext({ sampleRate: RATE_HZ });
  scope = new Scope();
  [phases, names, finished] = [[], [], []];
});

test("slots are played in the declared order with the declared gap, and the form opens after the last", async () => {
  const answer = await opened({ slots: ["b", "a"], gapS: 0.5 });
  await press(play);
  await listen(0.5);
  assert.deepEqual(phases, ["loading", "ready", "playing"]);
  await listen(1.5); // the gap and the second slot
  assert.deepEqual(
    context.sources.map(({ startS, buffer }) => [startS, buffer.length]),
    [
      [0, 0.5 * RATE_HZ],
      [1, RATE_HZ],
    ],
  );
  assert.equal(phases.at(-1), "rate");
  answer();
  await press(next);
  assert.deepEqual(finished[0]?.payload, { value: 4 });
  assert.deepEqual(
    [finished[0]?.heard.plays, finished[0]?.heard.heard_ms, finished[0]?.heard.heard_full],
    [1, 1500, true],
  );
});

test("without a gap the slots of the page follow one another", async () => {
  await opened();
  await press(play);
  await listen(1);
  await listen(0.5);
  assert.deepEqual(
    context.sources.map(({ startS }) => startS),
    [0, 1],
  );
  assert.equal(phases.at(-1), "rate");
});

test("a pair is played twice, each sound under its name, with the silence of its place; that is one play", async () => {
  const answer = await opened({ slots: ["a", "b", "a", "b"], gapS: [0.5, 1, 0.5, 1], reference: "a" });
  await press(play);
  for (const seconds of [1, 1, 2, 1]) await listen(seconds); // each with the silence before it
  assert.deepEqual(
    context.sources.map(({ startS }) => startS),
    [0, 1.5, 3, 4.5],
  );
  assert.deepEqual(names, ["Reference", "Clip to rate", "Reference", "Clip to rate"]);
  assert.equal(phases.at(-1), "rate");
  answer();
  await press(next);
  assert.deepEqual(
    finished.map(({ heard }) => [heard.plays, heard.heard_ms, heard.heard_full]),
    [[1, 3000, true]],
  );
});

test("sounds have no names where none is the reference", async () => {
  await opened();
  await press(play);
  assert.deepEqual(names, []);
});

test("an answer before the end of listening is not taken", async () => {
  const answer = await opened();
  answer();
  await press(next);
  await press(play);
  await press(next);
  assert.deepEqual(finished, []);
});

test("a complete answer closes the page by itself where that is declared", async () => {
  const answer = await opened({ slots: ["b"], autoConfirm: true });
  await press(play);
  await listen(0.5);
  answer();
  await settled();
  assert.equal(finished.length, 1);
});

test("a page that was heard before only takes another answer, with what was heard then", async () => {
  const already = { plays: 2, heard_full: true } as Heard;
  const answer = await opened({}, { already });
  assert.deepEqual(phases, ["rate"]);
  answer();
  await press(next);
  assert.equal(finished[0]?.heard, already);
});

test("the end of the scope ends the sound", async () => {
  await opened();
  await press(play);
  scope.dispose();
  assert.ok(context.sources.every(({ stopS }) => stopS <= 0.005));
});
