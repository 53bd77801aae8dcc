import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { FakeElement, installFakePage } from "../../../frontend/src/viewer/fakePage.ts";
import type { Passage } from "./contract.ts";
import { borders, PassageFinder, passageAt } from "./passages.ts";

installFakePage(() => new Response());
const RATE = 100;
const PASSAGES: Passage[] = [
  [0, 3600, 5],
  [5, 60, 5],
];

test("a second of a summary belongs to the passage that has begun last", () => {
  assert.equal(passageAt(PASSAGES, 0), PASSAGES[0]);
  assert.equal(passageAt(PASSAGES, 4.99), PASSAGES[0]);
  assert.equal(passageAt(PASSAGES, 5), PASSAGES[1]);
  assert.equal(passageAt(PASSAGES, 10), PASSAGES[1]);
  assert.equal(passageAt([[2, 60, 5]], 1), undefined);
});

test("a line stands where a passage begins, and none at the beginning of the summary", () => {
  assert.deepEqual(
    borders(PASSAGES, RATE).map(({ at, line }) => [at, line]),
    [[5 * RATE, true]],
  );
});

function opened() {
  const did: unknown[] = [];
  const parts = { "passage-find": new FakeElement("button"), "passage-status": new FakeElement("p") };
  const root = Object.assign(new FakeElement("div"), {
    querySelector: (wanted: string) => parts[wanted.slice("[data-part=".length, -1) as keyof typeof parts],
  });
  const events = new EventTarget();
  const viewer = {
    events,
    manifest: { sample_rate_hz: RATE, length_samples: 8640 * RATE },
    show: ({ start, stop }: { start: number; stop: number }) => did.push(["show", start / RATE, stop / RATE]),
    goTo: (sample: number) => did.push(["go to", sample / RATE]),
    play: (from: number, to: number) => did.push(["play", from / RATE, to / RATE]),
    setRegions: ([{ start, stop }]: { start: number; stop: number }[] & { 0: { start: number; stop: number } }) =>
      did.push(["mark", start / RATE, stop / RATE]),
  };
  const day = { viewer, rateHz: RATE, nameOf: (sample: number) => `${sample / RATE} s` };
  const summaries = { token: "s1", viewer: { position: 0, manifest: { sample_rate_hz: RATE } } };
  const facts = { scope: new Scope(), root, day, summaries, passages: { s1: PASSAGES } };
  const finder = new PassageFinder(facts as never);
  const move = (token: string, second: number) => {
    summaries.token = token;
    summaries.viewer.position = second * RATE;
    finder.draw();
  };
  return { did, finder, move, events, button: parts["passage-find"], status: parts["passage-status"] };
}

test("the first press shows and marks the passage, the second plays the day from there", () => {
  const { did, finder, status } = opened();
  finder.find();
  assert.deepEqual(did.splice(0), [
    ["show", 3590, 3615],
    ["go to", 3600],
    ["mark", 3600, 3605],
  ]);
  assert.match(status.textContent, /3600 s.*3605 s/);
  finder.find();
  assert.deepEqual(did.at(-1), ["play", 3600, 8640]);
});

test("the next passage is shown and not played, and the mark itself plays", () => {
  const { did, finder, move, events, status } = opened();
  finder.find();
  move("s1", 6);
  assert.equal(status.textContent, "");
  finder.find();
  assert.deepEqual(did.at(-1), ["mark", 60, 65]);
  events.dispatchEvent(new CustomEvent("choose", { detail: { id: "1", kind: "marker", at: 7 * RATE } }));
  assert.deepEqual(did.at(-1), ["mark", 60, 65]);
  events.dispatchEvent(new CustomEvent("choose", { detail: { id: "6000", kind: "region", at: 60 * RATE } }));
  assert.deepEqual(did.at(-1), ["play", 60, 8640]);
});

test("a summary without a cue sheet says so and shows nothing", () => {
  const { did, finder, move, button, status } = opened();
  assert.equal(button.getAttribute("aria-disabled"), "false");
  move("s2", 0);
  assert.equal(button.getAttribute("aria-disabled"), "true");
  assert.match(status.textContent, /not known/);
  finder.find();
  assert.deepEqual(did, []);
});
