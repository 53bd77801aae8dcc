import assert from "node:assert/strict";
import { test } from "node:test";
import { bodyOf, byteLength, MAX_BYTES, takeBatch, type VoteEvent } from "./events.ts";
import { HEARD } from "./fakeServer.ts";

function event(id: number, note = ""): VoteEvent {
  return {
    event_id: `event-${id}`,
    trial: `trial-${id}`,
    revision: 0,
    payload: { note },
    heard: HEARD,
    clock: { wall: "2026-01-01T00:00:00Z", monotonic_ms: 1, counter: id },
  };
}

test("a batch holds at most fifty events, in order", () => {
  const events = Array.from({ length: 120 }, (_, id) => event(id));
  const batch = takeBatch(events);
  assert.equal(batch.length, 50);
  assert.deepEqual(batch, events.slice(0, 50));
});

test("the body of a batch never exceeds 48 KiB, also with letters of several bytes", () => {
  const events = Array.from({ length: 50 }, (_, id) => event(id, "é".repeat(id * 97)));
  const batch = takeBatch(events);
  assert.ok(batch.length > 1 && batch.length < 50);
  assert.ok(byteLength(bodyOf(batch)) <= MAX_BYTES);
  assert.ok(byteLength(bodyOf(events.slice(0, batch.length + 1))) > MAX_BYTES, "one more would not have fitted");
});

test("an event that is too large alone still goes, so that the server can say so", () => {
  assert.equal(takeBatch([event(1, "x".repeat(MAX_BYTES)), event(2)]).length, 1);
});
