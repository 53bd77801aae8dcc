import assert from "node:assert/strict";
import { test } from "node:test";
import { matchFiles, UploadQueue } from "./queue.ts";

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

const file = (path: string, byte_count: number, received_bytes = 0) => ({
  path,
  byte_count,
  received_bytes,
  upload_url: `/api/v1/uploads/${path}/`,
});
const pickAs = (path: string, size: number) => ({ path, file: new File(["x".repeat(size)], path) });

function loaded(): UploadQueue {
  const queue = new UploadQueue();
  queue.announce([file("a.wav", 4, 4), file("b.wav", 6, 2), file("c.wav", 3)]);
  return queue;
}

test("after a reload what has arrived is done and the rest waits for its file", () => {
  const queue = loaded();
  assert.deepEqual(
    queue.rows.map(({ state }) => state),
    ["done", "absent", "absent"],
  );
  assert.deepEqual(queue.totals(), { files: 3, done: 1, absent: 2, failed: 0, bytes: 13, sent: 6 });
  assert.equal(queue.next(), undefined);
});

test("files that are dropped again are sent on, strangers and changed ones are told apart", () => {
  const queue = loaded();
  const { changed, others } = queue.supply([
    pickAs("a.wav", 4),
    pickAs("b.wav", 6),
    pickAs("c.wav", 5),
    pickAs("d.wav", 1),
  ]);
  assert.deepEqual([changed[0]?.path, others[0]?.path], ["c.wav", "d.wav"]);
  assert.equal(queue.next()?.path, "b.wav");
  assert.equal(queue.rows[0]?.file, null, "what has arrived is not sent again");
});

test("a file that is dropped twice while it is sent stays as it is", () => {
  const queue = loaded();
  queue.supply([pickAs("b.wav", 6)]);
  const row = queue.next();
  assert.ok(row);
  row.state = "sending";
  const before = row.file;
  queue.supply([pickAs("b.wav", 6)]);
  assert.deepEqual([row.state, row.file === before], ["sending", true]);
});

test("a list is complete when every file is done, and an empty one never", () => {
  assert.equal(new UploadQueue().complete, false);
  const queue = loaded();
  for (const row of queue.rows) row.state = "done";
  assert.equal(queue.complete, true);
});

test("an announcement that comes again forgets nothing", () => {
  const queue = loaded();
  queue.supply([pickAs("b.wav", 6)]);
  queue.announce([file("b.wav", 6, 2), file("d.wav", 1)]);
  assert.equal(queue.next()?.path, "b.wav");
  assert.equal(queue.rows.length, 4);
});

test("of many files those in trouble are shown first and those done last", () => {
  const queue = new UploadQueue();
  queue.announce(Array.from({ length: 500 }, (_, n) => file(`${n}.wav`, 1, 1)));
  queue.announce([file("late.wav", 1), file("broken.wav", 1)]);
  const broken = queue.rows.at(-1);
  assert.ok(broken);
  broken.state = "failed";
  const shown = queue.shown(3).map(({ path }) => path);
  assert.deepEqual(shown, ["broken.wav", "late.wav", "0.wav"]);
});

test("a piece on its way counts, but never beyond the file", () => {
  const queue = loaded();
  const row = queue.rows[1];
  assert.ok(row);
  row.underway = 3;
  assert.equal(queue.totals().sent, 9);
  row.underway = 100;
  assert.equal(queue.totals().sent, 10);
});
