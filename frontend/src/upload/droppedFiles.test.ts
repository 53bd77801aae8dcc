import assert from "node:assert/strict";
import { test } from "node:test";
import { fromEntries, fromHandles, fromInput, type Handle, Unreadable } from "./droppedFiles.ts";

interface Tree {
  [name: string]: Tree | string;
}

function entryOf(name: string, content: Tree | string, parent = ""): FileSystemEntry {
  const fullPath = `${parent}/${name}`;
  if (typeof content === "string") {
    const file = (done: (file: File) => void) => done(new File([content], name));
    return { name, fullPath, isDirectory: false, file } as unknown as FileSystemEntry;
  }
  const children = Object.entries(content).map(([inner, part]) => entryOf(inner, part, fullPath));
  const createReader = () => {
    const left = [...children];
    return { readEntries: (done: (portion: FileSystemEntry[]) => void) => done(left.splice(0, 2)) };
  };
  return { name, fullPath, isDirectory: true, createReader } as unknown as FileSystemEntry;
}

function handleOf(name: string, content: Tree | string): Handle {
  if (typeof content === "string") return { name, getFile: async () => new File([content], name) } as unknown as Handle;
  async function* values() {
    for (const [inner, part] of Object.entries(content)) yield handleOf(inner, part);
  }
  return { name, values } as unknown as Handle;
}

const FOLDER: Tree = {
  C0: { "a.wav": "1", "b.wav": "22", "c.wav": "333", ".DS_Store": "x" },
  C1: { "a.wav": "4444", deep: { "d.wav": "55555" } },
  __MACOSX: { "a.wav": "junk" },
  "Thumbs.db": "junk",
  "a\u0308.csv": "6",
};
const PATHS = ["set/C0/a.wav", "set/C0/b.wav", "set/C0/c.wav", "set/C1/a.wav", "set/C1/deep/d.wav", "set/\u00e4.csv"];

for (const [way, collect] of [
  ["entries", () => fromEntries([entryOf("set", FOLDER)])],
  ["handles", () => fromHandles([handleOf("set", FOLDER)])],
] as const) {
  test(`a folder read through ${way} gives every file under its path, without those of the system`, async () => {
    const { files, ignored } = await collect();
    assert.deepEqual(files.map(({ path }) => path).toSorted(), PATHS);
    assert.equal(ignored, 3);
    assert.equal(await files.find(({ path }) => path === "set/C1/deep/d.wav")?.file.text(), "55555");
  });
}

test("single files keep their names", async () => {
  const { files } = await fromEntries([entryOf("a.zip", "z"), entryOf("b.wav", "w")]);
  assert.deepEqual(
    files.map(({ path }) => path),
    ["a.zip", "b.wav"],
  );
});

test("a picker's files keep the folder they were chosen with", () => {
  const inFolder = Object.assign(new File([""], "a.wav"), { webkitRelativePath: "set/C0/a.wav" });
  const alone = Object.assign(new File([""], "b.wav"), { webkitRelativePath: "" });
  const hidden = Object.assign(new File([""], "c.wav"), { webkitRelativePath: "set/.git/c.wav" });
  const { files, ignored } = fromInput([inFolder, alone, hidden]);
  assert.deepEqual(
    files.map(({ path }) => path),
    ["set/C0/a.wav", "b.wav"],
  );
  assert.equal(ignored, 1);
});

test("a long walk tells how many files it has found", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`${n}.wav`, "x"]));
  const counts: number[] = [];
  await fromEntries([entryOf("set", many)], (count) => counts.push(count));
  assert.deepEqual(counts, [100, 200]);
});

test("what cannot be read is named by its path, whichever way it came", async () => {
  const fail = () => Promise.reject(new Error("NotReadableError"));
  const file = (_: unknown, failed: (problem: Error) => void) => failed(new Error("NotReadableError"));
  const entry = { name: "a.wav", fullPath: "/set/a.wav", isDirectory: false, file } as unknown as FileSystemEntry;
  const handle = { name: "a.wav", getFile: fail } as unknown as Handle;
  async function* broken() {
    yield handle;
  }
  const folder = { name: "set", values: broken } as unknown as Handle;
  for (const collecting of [fromEntries([entry]), fromHandles([folder])])
    await assert.rejects(collecting, (problem) => problem instanceof Unreadable && problem.path === "set/a.wav");
});
