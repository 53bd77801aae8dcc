import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { leaveNote, takeNote } from "./parting.ts";

const NOTE = { revision: 4, payload: { comment: "rain" }, listened: { plays: 1, heard_ms: 2000 } };

beforeEach(() => {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  Object.defineProperty(globalThis, "localStorage", { value: localStorage, configurable: true });
});

test("a step that never arrived is given back once", () => {
  leaveNote("a", NOTE);
  assert.deepEqual(takeNote("a", 4), NOTE);
  assert.equal(takeNote("a", 4), null);
});

test("a step that did arrive, or was overtaken on another device, is not made again", () => {
  leaveNote("a", NOTE);
  assert.equal(takeNote("a", 5), null);
  assert.equal(takeNote("a", 4), null);
});

test("a note belongs to its page", () => {
  leaveNote("a", NOTE);
  assert.equal(takeNote("b", 4), null);
});

test("where nothing can be kept the page works all the same", () => {
  Object.defineProperty(globalThis, "localStorage", {
    get: () => {
      throw new Error("refused");
    },
    configurable: true,
  });
  leaveNote("a", NOTE);
  assert.equal(takeNote("a", 4), null);
});
