import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { Autosave, LONGEST_MS } from "./autosave.ts";

let now = 0;
let steps: number[] = [];
let scope = new Scope();
let autosave: Autosave;
let changes = 0; // made and not settled
let unsettled: number[] = []; // as they were when each step was made

/** Time passes in small steps, as the timers and the clock both see it. */
function pass(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 100) {
    now += 100;
    mock.timers.tick(100);
  }
}

beforeEach(() => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => now);
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  Object.assign(globalThis, { window: new EventTarget(), document: page });
  [now, steps, scope, changes, unsettled] = [0, [], new Scope(), 0, []];
  const changing = () => {
    changes += 1;
    return () => {
      changes -= 1;
    };
  };
  autosave = new Autosave(scope, { changing }, () => {
    steps.push(now);
    unsettled.push(changes);
  });
});

afterEach(() => {
  scope.dispose();
  mock.timers.reset();
  mock.restoreAll();
});

test("a change is kept after a pause, once for all changes before it", () => {
  autosave.soon("act");
  pass(300);
  autosave.soon("act");
  pass(5000);
  assert.deepEqual(steps, [700]);
});

test("what is only heard waits longer, and never postpones what was done", () => {
  autosave.soon("heard");
  pass(1000);
  autosave.soon("act");
  pass(200);
  autosave.soon("heard");
  pass(5000);
  assert.deepEqual(steps, [1400]);
});

test("who listens on and on makes a step all the same", () => {
  for (let second = 0; second < 30; second += 1) {
    autosave.soon("heard");
    pass(1000);
  }
  assert.deepEqual(steps, [LONGEST_MS]);
});

test("leaving the page keeps what is pending, and nothing twice", () => {
  autosave.soon("text");
  window.dispatchEvent(new Event("pagehide"));
  window.dispatchEvent(new Event("pagehide"));
  pass(5000);
  assert.deepEqual(steps, [0]);
});

test("a page that goes out of sight is left", () => {
  autosave.soon("text");
  Object.assign(document, { visibilityState: "hidden" });
  document.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(steps, [0]);
});

test("a closed page makes no more steps", () => {
  autosave.soon("act");
  autosave.drop();
  pass(5000);
  assert.deepEqual(steps, []);
});

test("a change is not shown as saved before it is a step, but listening is no change", () => {
  autosave.soon("heard");
  assert.equal(changes, 0);
  autosave.soon("text");
  autosave.soon("act");
  assert.equal(changes, 1);
  pass(1000);
  assert.deepEqual([unsettled, changes], [[1], 0]);
});

test("a page that is closed leaves no change behind", () => {
  autosave.soon("act");
  autosave.drop();
  assert.equal(changes, 0);
  autosave.soon("act");
  scope.dispose();
  assert.deepEqual([changes, steps], [0, []]);
});
