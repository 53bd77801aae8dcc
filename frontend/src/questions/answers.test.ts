import assert from "node:assert/strict";
import { test } from "node:test";
import { UnsentAnswers } from "./answers.ts";

function storage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name),
  };
}

test("what was not acknowledged is there again after a reload, the newest answer to each question", () => {
  const kept = storage();
  const unsent = new UnsentAnswers("seat before", kept);
  unsent.put("age_band", "18_24");
  unsent.put("age_band", "25_34");
  unsent.put("devices", ["a", "b"]);
  assert.deepEqual(new UnsentAnswers("seat before", kept).entries(), [
    ["age_band", "25_34"],
    ["devices", ["a", "b"]],
  ]);
});

test("an acknowledgement of an older answer leaves the newer one, and nothing stays behind at the end", () => {
  const kept = storage();
  const unsent = new UnsentAnswers("seat before", kept);
  unsent.put("age_band", "18_24");
  unsent.put("age_band", "25_34");
  unsent.settle("age_band", "18_24");
  assert.deepEqual(unsent.first, ["age_band", "25_34"]);
  unsent.settle("age_band", "25_34");
  assert.equal(unsent.size, 0);
  assert.equal(kept.items.size, 0);
});

test("a storage that fails or holds something else does not stop the page", () => {
  const broken = {
    getItem: () => "{",
    setItem: () => {
      throw new Error("full");
    },
    removeItem: () => {},
  };
  const unsent = new UnsentAnswers("seat before", broken);
  unsent.put("age_band", "18_24");
  assert.equal(unsent.size, 1);
});
