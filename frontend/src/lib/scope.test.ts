import assert from "node:assert/strict";
import { test } from "node:test";
import { Scope, WakeSignal } from "./scope.ts";

test("disposing removes listeners, timers, intervals, observers and child scopes", async () => {
  const scope = new Scope();
  const target = new EventTarget();
  const heard: string[] = [];
  scope.listen(target, "ping", () => heard.push("listener"));
  scope.after(1, () => heard.push("timer"));
  scope.every(1, () => heard.push("interval"));
  scope.observe({ disconnect: () => heard.push("disconnected") });
  scope.child().listen(target, "ping", () => heard.push("child"));
  scope.dispose();
  target.dispatchEvent(new Event("ping"));
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(heard, ["disconnected"]);
  assert.equal(scope.size, 0);
  assert.equal(scope.signal.aborted, true);
});

test("a listener works until its scope ends", () => {
  const scope = new Scope();
  const target = new EventTarget();
  let count = 0;
  scope.listen(target, "ping", () => {
    count += 1;
  });
  target.dispatchEvent(new Event("ping"));
  scope.dispose();
  target.dispatchEvent(new Event("ping"));
  assert.equal(count, 1);
});

test("a timer that has rung and a child that has ended are no longer owned", async () => {
  const scope = new Scope();
  await new Promise<void>((resolve) => void scope.after(1, resolve));
  const child = scope.child();
  assert.equal(scope.size, 1);
  child.dispose();
  assert.equal(scope.size, 0);
});

test("what is owned after disposal is cleaned up at once", () => {
  const scope = new Scope();
  scope.dispose();
  let cleaned = false;
  scope.own(() => {
    cleaned = true;
  });
  assert.equal(cleaned, true);
  const target = new EventTarget();
  scope.listen(target, "ping", () => assert.fail("a dead scope must not listen"));
  target.dispatchEvent(new Event("ping"));
});

test("each cleanup runs exactly once, newest first", () => {
  const scope = new Scope();
  const order: number[] = [];
  const early = scope.own(() => order.push(1));
  scope.own(() => order.push(2));
  scope.own(() => order.push(3));
  early();
  scope.dispose();
  scope.dispose();
  assert.deepEqual(order, [1, 3, 2]);
});

test("a signal without a waiter ends the next wait at once", async () => {
  const scope = new Scope();
  const wakeSignal = new WakeSignal();
  wakeSignal.notify();
  await wakeSignal.wait(scope); // would never end if the signal were lost
  const waiting = wakeSignal.wait(scope);
  scope.dispose(); // and disposal ends a wait too
  await waiting;
  assert.equal(scope.size, 0);
});
