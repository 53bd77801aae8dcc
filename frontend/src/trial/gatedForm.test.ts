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
let said: string[] = []; // why something could not be pressed
let missing = ""; // what Next waits for
let previousOffered = false;
let problemOffered = false;
let cancel = () => {};
const [play, next, previous, view] = [new EventTarget(), new EventTarget(), new EventTarget(), new EventTarget()];

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
async function opened(
  change: Partial<GatedForm> = {},
  frame: Partial<TrialFrame> = {},
): Promise<(value?: number) => void> {
  const keys = {
    on() {},
    onCancel: (_: Scope, handler: () => void) => {
      cancel = handler;
    },
  };
  const media = { a: { url: "", duration_s: 1, sliced: false }, b: { url: "", duration_s: 0.5, sliced: false } };
  const page = { ...pageOf("t1", media), keys } as unknown as ShownPage;
  const player = new Player(scope, context as unknown as AudioContext);
  const showPhase = (phase: Phase) => phases.push(phase);
  const nameSound = (name: string) => names.push(name);
  const screen = {
    ...{ play, next, previous, view, showPhase, nameSound, note() {}, focus() {} },
    explain: (sentence: string) => said.push(sentence),
    explainNext: () => said.push(missing),
    offerNext: (sentence: string) => {
      missing = sentence;
    },
    offerPrevious: (offered: boolean) => {
      previousOffered = offered;
    },
    offerProblem: (offered: boolean) => {
      problemOffered = offered;
    },
  };
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
  const show = (given: Json) => {
    payload = given;
  };
  const mount = () => ({ answer: () => payload, onChange, show });
  gatedForm(host, page, scope, { mount, ...change });
  await settled();
  return (value = 4) => {
    payload = { value };
    changed();
  };
}

beforeEach(() => {
  installFakeAudio();
  Object.assign(globalThis, { document: Object.assign(new EventTarget(), { visibilityState: "visible" }) });
  context = new FakeContext({ sampleRate: RATE_HZ });
  scope.dispose(); // the page of the test before
  scope = new Scope();
  [phases, names, finished, said] = [[], [], [], []];
  [missing, previousOffered, problemOffered] = ["", false, false];
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

test("a press on the closed form says when it opens, and one on Next what is missing", async () => {
  const answer = await opened({ slots: ["b"] });
  await press(view);
  await press(next);
  await press(play);
  await press(view);
  await press(next);
  await listen(0.5);
  await press(view);
  await press(next);
  assert.deepEqual(said, [
    "The scale opens when the sound has ended.",
    "Press Play first.",
    "The scale opens when the sound has ended.",
    "You can answer when the sound has ended.",
    "Choose an answer first.",
  ]);
  answer();
  assert.equal(missing, "");
});

test("the answer before can be opened again, and a problem reported, only before and after the first play", async () => {
  let reopened = 0;
  const reopen = () => {
    reopened += 1;
  };
  await opened({ slots: ["b"] }, { reopen });
  assert.deepEqual([previousOffered, problemOffered], [true, false]);
  await press(previous);
  assert.equal(reopened, 1);
  await press(play);
  assert.deepEqual([previousOffered, problemOffered], [false, true]);
  await press(previous);
  assert.equal(reopened, 1);
});

/** A page whose answer is opened again. */
async function revised(): Promise<{ answer: (value?: number) => void; heard: Heard; kept: () => number }> {
  let kept = 0;
  const keep = () => {
    kept += 1;
  };
  const heard = { plays: 2, heard_full: true } as Heard;
  const answer = await opened({}, { already: { answer: { value: 2 }, heard, keep } });
  assert.deepEqual([phases, missing], [["rate"], ""]);
  return { answer, heard, kept: () => kept };
}

test("an answer that is opened again can be changed, with what was heard then", async () => {
  const { answer, heard, kept } = await revised();
  answer(4);
  await press(next);
  assert.deepEqual(finished, [{ payload: { value: 4 }, heard }]);
  assert.equal(kept(), 0);
});

test("an answer that is opened again is kept by Next and by Esc, and nothing is stored", async () => {
  const { answer, kept } = await revised();
  await press(next);
  answer(4);
  answer(2);
  await press(next);
  cancel();
  assert.equal(kept(), 3);
  assert.deepEqual(finished, []);
});

test("the end of the scope ends the sound", async () => {
  await opened();
  await press(play);
  scope.dispose();
  assert.ok(context.sources.every(({ stopS }) => stopS <= 0.005));
});
