import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { isFinalError, LONGEST_PAUSE_MS, Problem, pauseAfter, retrying, Unreachable } from "./http.ts";
import { Scope, WakeSignal } from "./scope.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Work that fails in these ways, one after the other, and then answers. */
function failing(...errors: Error[]) {
  const scope = new Scope();
  const wakeSignal = new WakeSignal();
  const told: unknown[] = [];
  let calls = 0;
  const work = async () => {
    calls += 1;
    const error = errors[calls - 1];
    if (error) throw error;
    return "answer";
  };
  return { scope, wakeSignal, told, work, calls: () => calls, onFailure: (error: unknown) => told.push(error) };
}

test("pauses grow to thirty seconds, keep a fixed lower half and never end", () => {
  for (const failures of [1, 2, 5, 10, 1000]) {
    const shortest = pauseAfter(failures, () => 0);
    const longest = pauseAfter(failures, () => 1);
    assert.equal(longest, 2 * shortest);
    assert.ok(longest <= LONGEST_PAUSE_MS);
  }
  assert.ok(pauseAfter(2, () => 0) > pauseAfter(1, () => 0));
  assert.equal(
    pauseAfter(1000, () => 1),
    LONGEST_PAUSE_MS,
  );
});

test("a failure is told, and the same is asked again after its pause until there is an answer", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const errors = [new Unreachable(), new Problem(503, {})];
    const asking = failing(...errors);
    const answer = retrying(asking.work, asking);
    await settled();
    assert.deepEqual([asking.calls(), asking.told], [1, errors.slice(0, 1)]);
    mock.timers.tick(249);
    await settled();
    assert.equal(asking.calls(), 1, "the fixed half of the pause is not over");
    mock.timers.tick(LONGEST_PAUSE_MS);
    await settled();
    mock.timers.tick(LONGEST_PAUSE_MS);
    assert.equal(await answer, "answer");
    assert.deepEqual([asking.calls(), asking.told, asking.scope.size], [3, errors, 0]);
  } finally {
    mock.timers.reset();
  }
});

test("the pause is longer by what the server asks for, within reason", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    const asking = failing(new Problem(503, {}, 5000), new Problem(503, {}, 10 ** 9));
    const answer = retrying(asking.work, asking);
    await settled();
    mock.timers.tick(5249);
    await settled();
    assert.equal(asking.calls(), 1);
    mock.timers.tick(LONGEST_PAUSE_MS);
    await settled();
    mock.timers.tick(2 * LONGEST_PAUSE_MS);
    assert.equal(await answer, "answer");
  } finally {
    mock.timers.reset();
  }
});

test("the signal ends a pause early", async () => {
  const asking = failing(new Unreachable());
  const answer = retrying(asking.work, asking);
  await settled();
  asking.wakeSignal.notify();
  assert.equal(await answer, "answer");
});

test("an error ends the matter at once where that is asked for; what may pass and a lost session do not", async () => {
  const asking = failing(new Problem(404, {}));
  await assert.rejects(retrying(asking.work, { ...asking, isFinal: isFinalError }), { status: 404 });
  assert.deepEqual(asking.told, []);
  const others = [new Problem(503, {}), new Problem(429, {}), new Problem(401, {}), new Problem(403, {})];
  assert.deepEqual([...others, new Unreachable(), new Error("a fault")].map(isFinalError), Array(6).fill(false));
});

test("nothing is asked once the page is gone", async () => {
  const asking = failing(new Unreachable());
  void retrying(asking.work, asking);
  await settled();
  asking.scope.dispose();
  await settled();
  assert.deepEqual([asking.calls(), asking.scope.size], [1, 0]);
});
