import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Viewer } from "../../../frontend/src/viewer/viewer.ts";
import { type Heard, Listening } from "./listening.ts";

const RATE = 100;

function opened(kept: ConstructorParameters<typeof Listening>[0] = {}) {
  const told: Heard[] = [];
  const scope = new Scope();
  const events = new EventTarget();
  const viewer = { events, manifest: { sample_rate_hz: RATE }, position: 0 } as unknown as Viewer;
  const tell = (type: string, second: number, reason?: string) =>
    events.dispatchEvent(new CustomEvent(type, { detail: { sample: second * RATE, clockS: 0, reason } }));
  return { told, scope, viewer, tell, listening: new Listening(kept, (what) => told.push(what)) };
}

test("what sounded is heard, and what only stopped is not", () => {
  const { listening, scope, viewer, tell, told } = opened();
  listening.followFull(scope, viewer);
  tell("stop", 50, "blocked");
  tell("start", 10);
  tell("stop", 14, "user");
  assert.deepEqual(listening.full, [[10, 14]]);
  assert.equal(listening.summary.heard_ms, 4000);
  assert.deepEqual(told, ["seconds"]);
  scope.dispose();
});

test("what is heard twice is one part, and counts twice in time", () => {
  const { listening, scope, viewer, tell } = opened({ full: [[0, 5]] });
  listening.followFull(scope, viewer);
  tell("start", 3);
  tell("stop", 6, "end");
  assert.deepEqual(listening.full, [[0, 6]]);
  assert.equal(listening.summary.heard_ms, 8000);
  scope.dispose();
});

test("each start of a summary is a play, but a click elsewhere in it goes on with the same one", () => {
  const { listening, scope, viewer, tell } = opened({ plays: { s2: 4 } });
  listening.followSummary(scope, viewer, "s2");
  tell("start", 0);
  tell("stop", 5, "user");
  tell("start", 30);
  assert.equal(listening.plays("s2"), 5);
  tell("stop", 60, "end");
  tell("start", 0);
  assert.equal(listening.plays("s2"), 6);
  scope.dispose();
});

test("a probe is kept once, however often it is heard", () => {
  const { listening } = opened({ probes: ["3.1"] });
  listening.addProbe("3.2");
  listening.addProbe("3.2");
  assert.deepEqual(listening.kept.probes, ["3.1", "3.2"]);
  assert.equal(listening.hasProbe("3.1"), true);
  assert.equal(listening.hasProbe("4.1"), false);
});
