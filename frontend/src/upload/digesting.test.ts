import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Digests } from "./digesting.ts";

const CONTENT = Uint8Array.from({ length: 9_000_000 }, (_, n) => (n * 31) % 251);
const FILE = new Blob([CONTENT]);
const digestOf = (start = 0, end = CONTENT.length) =>
  createHash("sha256").update(CONTENT.subarray(start, end)).digest("base64");

test("each piece has its digest, and the last one brings that of the whole", async () => {
  const digests = new Digests();
  assert.deepEqual(await digests.of("a", FILE, 0, 4_000_000), { piece: digestOf(0, 4_000_000), whole: null });
  assert.deepEqual(await digests.of("a", FILE, 4_000_000, 8_000_000), {
    piece: digestOf(4_000_000, 8_000_000),
    whole: null,
  });
  assert.deepEqual(await digests.of("a", FILE, 8_000_000, 9_000_000), {
    piece: digestOf(8_000_000, 9_000_000),
    whole: digestOf(),
  });
});

test("pieces sent again, also overlapping or while the first is still read, count once", async () => {
  const digests = new Digests();
  const both = await Promise.all([digests.of("a", FILE, 0, 5_000_000), digests.of("a", FILE, 0, 5_000_000)]);
  assert.deepEqual(both[0], both[1]);
  await digests.of("a", FILE, 3_000_000, 7_000_000);
  const last = await digests.of("a", FILE, 7_000_000, 9_000_000);
  assert.equal(last.whole, digestOf());
  assert.equal((await digests.of("a", FILE, 7_000_000, 9_000_000)).whole, digestOf(), "asked again, it says the same");
});

test("after a reload the beginning is read without being sent", async () => {
  const { whole } = await new Digests().of("a", FILE, 8_999_999, 9_000_000);
  assert.equal(whole, digestOf());
});

test("two files do not mix, and a forgotten one begins anew", async () => {
  const digests = new Digests();
  const small = new Blob(["abc"]);
  await digests.of("a", FILE, 0, 100);
  assert.equal((await digests.of("b", small, 0, 3)).whole, createHash("sha256").update("abc").digest("base64"));
  digests.forget("a");
  assert.equal((await digests.of("a", small, 0, 3)).whole, createHash("sha256").update("abc").digest("base64"));
});

test("a file that cannot be read fails and can be tried again", async () => {
  const digests = new Digests();
  const broken = { size: 3, slice: () => ({ arrayBuffer: () => Promise.reject(new Error("gone")) }) };
  await assert.rejects(digests.of("a", broken as unknown as Blob, 0, 3), /gone/);
  assert.ok((await digests.of("a", new Blob(["abc"]), 0, 3)).whole);
});
