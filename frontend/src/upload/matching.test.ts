import assert from "node:assert/strict";
import { test } from "node:test";
import { matchFiles } from "./matching.ts";

const pick = (path: string, size: number) => ({
  path,
  file: new File(["x".repeat(size)], path.split("/").at(-1) ?? ""),
});
const EXPECTED = [
  { path: "set/C0/a.wav", size: 3 },
  { path: "set/C1/a.wav", size: 3 },
  { path: "set/C1/b.wav", size: 5 },
];

test("files dropped again are known by path and length", () => {
  const { found, changed, others } = matchFiles([pick("set/C0/a.wav", 3), pick("set/C1/b.wav", 5)], EXPECTED);
  assert.deepEqual([...found.keys()], ["set/C0/a.wav", "set/C1/b.wav"]);
  assert.deepEqual([changed, others], [[], []]);
});

test("a part of the folder, or the folder above it, is known by the end of the path", () => {
  const { found } = matchFiles([pick("C1/a.wav", 3), pick("all/set/C0/a.wav", 3), pick("b.wav", 5)], EXPECTED);
  assert.deepEqual([...found.keys()], ["set/C1/a.wav", "set/C0/a.wav", "set/C1/b.wav"]);
});

test("an end that two files share decides nothing", () => {
  const { found, others } = matchFiles([pick("a.wav", 3)], EXPECTED);
  assert.equal(found.size, 0);
  assert.deepEqual(
    others.map(({ path }) => path),
    ["a.wav"],
  );
});

test("another length under the same path is another file", () => {
  const { changed, found } = matchFiles([pick("set/C0/a.wav", 4)], EXPECTED);
  assert.equal(found.size, 0);
  assert.equal(changed[0]?.path, "set/C0/a.wav");
});

test("half a name is not the end of a path", () => {
  const { others } = matchFiles([pick("xb.wav", 5), pick("1/a.wav", 3)], EXPECTED);
  assert.equal(others.length, 2);
});
