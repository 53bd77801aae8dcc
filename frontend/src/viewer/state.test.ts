import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { arrowStep, Commands } from "./controls.ts";
import { missing } from "./drawing.ts";
import { answerWith, DAY, manifestWith, RATE } from "./fakePage.ts";
import { span, viewOf } from "./geometry.ts";
import { envelope } from "./peaks.ts";
import { passageAt } from "./playback.ts";
import { readWheel } from "./pointer.ts";
import { BrokenManifest, type Manifest, readManifest } from "./remote.ts";
import { type Topic, ViewerState } from "./state.ts";
import { shareReady } from "./viewer.ts";

test("a manifest is read, with or without what participants do not get", () => {
  const manifest = manifestWith({
    measures: { integrated_lufs: -24 },
    silences: [
      [20, 30],
      [5, 9],
    ],
  });
  assert.equal(manifest.length_samples, DAY);
  assert.deepEqual(manifest.silences[0], { start: 5, stop: 9 });
  assert.deepEqual(manifestWith({ clock: undefined, silences: undefined }).silences, []);
});

test("an answer that is no manifest is refused, whatever it lacks", () => {
  const broken = [
    null,
    7,
    {},
    answerWith({ version: 2 }),
    answerWith({ length_samples: 0 }),
    answerWith({ length_samples: 1.5 }),
  ];
  const lacking = ["peaks", "spectrogram", "slices", "sample_rate_hz"].map((key) => answerWith({ [key]: undefined }));
  for (const bad of [...broken, ...lacking]) assert.throws(() => readManifest(bad), BrokenManifest);
});

test("how long it still takes is read where it is told", () => {
  assert.equal(manifestWith({ ingest: { done: 1, total: 9, time_left_s: 61.5 } }).time_left_s, 61.5);
  assert.equal(manifestWith({ ingest: { time_left_s: null } }).time_left_s, null);
  assert.equal(manifestWith().time_left_s, null);
});

test("the share that is ready grows with the chunks", () => {
  const manifest = manifestWith({
    state: "ingesting",
    ready: [
      [DAY / 2, DAY],
      [0, DAY / 4],
    ],
  });
  assert.equal(shareReady(manifest), 0.75);
  assert.deepEqual(missing(manifest.ready, DAY), [{ start: DAY / 4, stop: DAY / 2 }]);
  assert.deepEqual(missing([], 10), [{ start: 0, stop: 10 }]);
  assert.deepEqual(missing([{ start: 0, stop: 10 }], 10), []);
  assert.equal(shareReady(manifestWith({ ready: undefined })), 1, "ready is ready, whatever else is said");
});

function stateOf(manifest: Manifest = manifestWith()) {
  const state = new ViewerState(manifest, 1200);
  const scope = new Scope();
  const told: Topic[] = [];
  for (const topic of ["view", "position", "selection", "look", "options", "data"] as const)
    state.on(scope, [topic], () => told.push(topic));
  return { state, scope, told };
}

test("who listens hears of every change once, and of nothing after the scope has ended", () => {
  const { state, scope, told } = stateOf();
  state.setPosition(10);
  state.setPosition(10);
  state.select(5, 9);
  state.select(9, 5);
  state.setView(state.view);
  assert.deepEqual(told, ["position", "selection"]);
  scope.dispose();
  state.setPosition(11);
  assert.equal(told.length, 2);
  assert.equal(state.listeners, 0);
});

test("positions and selections are whole samples inside the recording", () => {
  const { state } = stateOf();
  state.setPosition(DAY * 2);
  assert.equal(state.position, DAY);
  state.select(-100.4, 10.6);
  assert.deepEqual(state.selection, { start: 0, stop: 11 });
  state.select(7, 7);
  assert.equal(state.selection, null);
});

test("Play means the selection inside it, and the rest of the recording elsewhere", () => {
  const selection = { start: 100, stop: 200 };
  assert.deepEqual(passageAt(150, { selection, loop: true, length: 1000 }), {
    start: 150,
    from: 100,
    to: 200,
    loop: true,
  });
  assert.equal(passageAt(200, { selection, loop: false, length: 1000 }).start, 100);
  assert.equal(passageAt(50, { selection, loop: false, length: 1000 }).start, 100);
  assert.deepEqual(passageAt(50, { selection: null, loop: false, length: 1000 }), {
    start: 50,
    from: 0,
    to: 1000,
    loop: false,
  });
  assert.equal(passageAt(1000, { selection: null, loop: false, length: 1000 }).start, 0, "at the end it begins again");
});

function commandsOf() {
  const { state } = stateOf();
  const done: string[] = [];
  const playback = {
    toggle: () => done.push("toggle"),
    play: () => done.push("play"),
    stop: () => done.push("stop"),
    seek: (sample: number) => state.setPosition(sample),
  };
  const commands = new Commands(state, playback as never, () => done.push("sheet"));
  return { state, commands, done };
}

test("an arrow goes ten seconds in a view of an hour, and less where less is shown", () => {
  const { state } = commandsOf();
  const step = (seconds: number) =>
    arrowStep(viewOf({ start: 0, stop: seconds * RATE }, 1200, state.bounds), RATE) / RATE;
  assert.equal(step(3600), 10);
  assert.equal(step(360), 1);
  assert.equal(step(5), 0.01);
  assert.equal(step(86_400), 120);
});

test("arrows move the cursor and bring it into view", () => {
  const { state, commands } = commandsOf();
  state.setView(viewOf({ start: 3600 * RATE, stop: 7200 * RATE }, 1200, state.bounds));
  state.setPosition(7199 * RATE);
  commands.run("right");
  assert.equal(state.position, 7209 * RATE);
  assert.ok(state.position < state.view.start + span(state.view));
  commands.run("end");
  assert.equal(state.position, DAY);
  commands.run("start");
  assert.deepEqual([state.position, state.view.start], [0, 0]);
});

test("Shift and arrows stretch a selection from where the cursor was, and shrink it again", () => {
  const { state, commands } = commandsOf();
  state.setView(viewOf({ start: 0, stop: 3600 * RATE }, 1200, state.bounds));
  state.setPosition(100 * RATE);
  commands.run("select-right");
  commands.run("select-right");
  assert.deepEqual(state.selection, { start: 100 * RATE, stop: 120 * RATE });
  commands.run("select-left");
  commands.run("select-left");
  commands.run("select-left");
  assert.deepEqual(state.selection, { start: 90 * RATE, stop: 100 * RATE });
});

test("zooming by keys keeps the cursor in place; the other commands do what they say", () => {
  const { state, commands, done } = commandsOf();
  state.setPosition(DAY / 2);
  commands.run("zoom-in");
  assert.equal(Math.round(span(state.view)), DAY / 2);
  assert.equal(state.view.start, DAY / 4);
  commands.run("whole");
  assert.equal(Math.round(span(state.view)), DAY);
  for (const command of ["loop", "follow", "statistic"] as const) commands.run(command);
  assert.deepEqual([state.loop, state.follow, state.look.statistic], [true, false, "mean"]);
  for (const command of ["toggle", "play", "stop", "sheet"] as const) commands.run(command);
  assert.deepEqual(done, ["toggle", "play", "stop", "sheet"]);
});

test("the wheel zooms, sideways or with Shift it moves, and a pinch zooms finely", () => {
  const still = { deltaX: 0, deltaY: 0, deltaMode: 0, ctrlKey: false, shiftKey: false };
  assert.deepEqual(readWheel({ ...still, deltaY: -240 }), { factor: 2, pixels: 0 });
  assert.deepEqual(readWheel({ ...still, deltaY: 15, deltaMode: 1 }), { factor: 0.5, pixels: 0 });
  assert.deepEqual(readWheel({ ...still, deltaX: 30, deltaY: 4 }), { factor: 1, pixels: 30 });
  assert.deepEqual(readWheel({ ...still, deltaY: 50, shiftKey: true }), { factor: 1, pixels: 50 });
  assert.deepEqual(readWheel({ ...still, deltaY: -70, ctrlKey: true }), { factor: 2, pixels: 0 });
});

test("a pixel of the waveform shows the extremes of all that it stands for", () => {
  const values = new Int8Array([-1, 2, -8, 3, -2, 9, 0, 0, -5, 5]);
  const bins = { samples: 100, at: (bin: number) => (bin < 5 ? { values, index: bin * 2 } : undefined) };
  const { low, high, known } = envelope(bins, 0, 150, 4);
  assert.deepEqual([...low], [-8, -8, -5, -5]);
  assert.deepEqual([...high], [3, 9, 5, 5]);
  assert.deepEqual([...known], [1, 1, 1, 1]);
  assert.deepEqual([...envelope(bins, 500, 100, 2).known], [0, 0], "after the end nothing is known");
});
