import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Problem } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { Replacement } from "./replacement.ts";

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

function open(outcome: () => Promise<unknown> = async () => null, error: Error | null = null) {
  const told: string[] = [];
  const submitted: string[] = [];
  const server = {
    csrf: () => "",
    replace: async (path: string, file: File) => {
      if (error) throw error;
      return [{ path, byte_count: file.size, received_bytes: 0, upload_url: "/u/" }];
    },
    submit: async (rows: readonly { path: string }[]) => {
      submitted.push(...rows.map((row) => row.path));
    },
  };
  const shares: number[] = [];
  let over = 0;
  const replacement = new Replacement({
    config: { hashing_url: "/hashing.js" },
    server,
    scope: new Scope(),
    onProgress: (share) => shares.push(share),
    onTrouble: (sentence) => told.push(sentence),
    onOver: () => {
      over += 1;
    },
    attempt: () => ({ ended: outcome(), abort: () => {} }),
  });
  return { replacement, told, submitted, shares, over: () => over };
}

beforeEach(() => {
  Object.assign(globalThis, {
    Worker: class extends EventTarget {
      postMessage(): void {}
      terminate(): void {}
    },
  });
});

test("a replacement is announced in the old place, sent, and handed in for the check", async () => {
  const { replacement, submitted, shares, over } = open();
  await replacement.send("C1/a.wav", new File(["new bytes"], "fixed.wav"));
  await settled();
  assert.deepEqual([submitted, shares.at(-1), over(), replacement.sending], [["C1/a.wav"], 1, 1, false]);
});

test("an empty file needs no sending", async () => {
  const { replacement, submitted, over } = open(() => Promise.reject(new Error("nothing is sent")));
  await replacement.send("a.wav", new File([], "a.wav"));
  await settled();
  assert.deepEqual([submitted, over()], [["a.wav"], 1]);
});

test("what the server refuses is said, and another file can be chosen", async () => {
  const { replacement, told, submitted, over } = open(undefined, new Problem(413, { detail: "The disk is full." }));
  await replacement.send("a.wav", new File(["x"], "a.wav"));
  await settled();
  assert.deepEqual([told, submitted, over(), replacement.sending], [["The disk is full."], [], 0, false]);
});
