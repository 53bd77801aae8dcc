import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Problem, Unreachable } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";
import { UploadController, type UploadControllerParts } from "./controller.ts";
import type { Picked } from "./droppedFiles.ts";
import type { DeclaredFile, Row } from "./queue.ts";

/** A server that knows what was announced; empty files are there as soon as it knows them. */
class FakeServer {
  importId = "";
  begun = 0;
  page = "/page/";
  trouble: Error | null = null;
  readonly forgotten: string[] = [];

  async announce(picked: readonly Picked[]): Promise<DeclaredFile[]> {
    const isNew = !this.importId;
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (this.trouble) throw this.trouble;
    if (isNew) this.begun += 1;
    this.importId = "i";
    return picked.map(({ path, file }) => announced(path, file.size));
  }

  async list(): Promise<DeclaredFile[]> {
    if (this.trouble) throw this.trouble;
    return [announced("old.wav", 3)];
  }

  submitted = 0;
  async submit(): Promise<void> {
    if (this.trouble) throw this.trouble;
    this.submitted += 1;
  }

  async forget(row: Row): Promise<void> {
    if (this.trouble) throw this.trouble;
    this.forgotten.push(row.path);
  }

  csrf = () => "";
}

const announced = (path: string, byte_count: number) => ({ path, byte_count, received_bytes: 0, upload_url: "/u/" });
const empty = (name: string) => Object.assign(new File([], name), { webkitRelativePath: "" });

function open(importId = "", more: Partial<UploadControllerParts> = {}) {
  const server = new FakeServer();
  server.importId = importId;
  const notes: string[] = [];
  const submit = { hidden: true, disabled: true };
  const screen = { note: (text: string) => notes.push(text), trouble: () => {}, show: () => {}, reopen: {}, submit };
  const scope = new Scope();
  const config = { hashing_url: "/hashing.js" };
  const controller = new UploadController({
    config,
    screen,
    server,
    scope,
    ...more,
  } as unknown as UploadControllerParts);
  return { controller, server, notes, scope, submit };
}

beforeEach(() => {
  const worker = class extends EventTarget {
    postMessage(): void {}
    terminate(): void {}
  };
  const document = { querySelector: () => ({ action: "" }) };
  Object.assign(globalThis, { Worker: worker, document, history: { replaceState: () => {} } });
});

test("two drops at once go into one import", async () => {
  const { controller, server, scope } = open();
  await Promise.all([controller.takeFiles([empty("a.wav")]), controller.takeFiles([empty("b.wav")])]);
  assert.equal(server.begun, 1);
  scope.dispose();
});

test("everything that is odd about a drop is said, also when it brings new files", async () => {
  const { controller, notes, scope } = open("i");
  await controller.resume();
  await controller.takeFiles([empty("old.wav"), empty("new.wav"), empty(".DS_Store")]);
  assert.equal(
    notes.at(-1),
    "'old.wav' has changed since it was announced. Cancel this import and begin a new one. " +
      "1 of these files is new to this import and was added to it. 1 hidden file of the system was left out.",
  );
  await controller.takeFiles([]);
  assert.equal(notes.at(-1), "There are no files in what you dropped.");
  scope.dispose();
});

test("a folder that cannot be read is named, and the next drop is taken all the same", async () => {
  const { controller, server, notes, scope } = open();
  const locked = { name: "secret", fullPath: "/set/secret", isDirectory: true, createReader: () => ({ readEntries }) };
  const readEntries = (_: unknown, fail: (problem: Error) => void) => fail(new Error("NotReadableError"));
  await controller.takeDrop([locked as unknown as FileSystemEntry], Promise.resolve([]));
  assert.equal(notes.at(-1), "The browser cannot read 'set/secret' any more. Choose it again.");
  assert.equal(server.begun, 0, "an import lacks no file silently");
  await controller.takeFiles([empty("a.wav")]);
  assert.equal(server.begun, 1);
  scope.dispose();
});

test("what the server refuses is said in its words, and a lost session or network in ours", async () => {
  for (const [trouble, said] of [
    [new Problem(413, { detail: "Too much." }), "Too much."],
    [new Problem(403, { detail: "Only erin can import." }), "Only erin can import."],
    [
      new Problem(401, { detail: "Sign in first." }),
      "You are no longer signed in. Sign in again in another tab; sending then goes on here.",
    ],
    [new Problem(502, {}), "The server cannot be reached. Sending goes on by itself as soon as it can."],
    [new Unreachable(), "The server cannot be reached. Sending goes on by itself as soon as it can."],
  ] as const) {
    const { controller, server, notes, scope } = open();
    server.trouble = trouble;
    await controller.takeFiles([empty("a.wav")]);
    assert.equal(notes.at(-1), said);
    scope.dispose();
  }
});

test("an import that the server no longer has is told when its page opens", async () => {
  const { controller, server, notes, scope } = open("i");
  server.trouble = new Problem(404, { detail: "There is no such import." });
  await controller.resume();
  assert.equal(notes.at(-1), "There is no such import.");
  scope.dispose();
});

test("a file is left out, also one that the server has forgotten already, but not over an error", async () => {
  const { controller, server, notes, scope } = open("i");
  await controller.resume();
  server.trouble = new Problem(423, { detail: "Another request is sending this file." });
  await controller.remove("old.wav");
  assert.equal(notes.at(-1), "Another request is sending this file.");
  server.trouble = new Problem(404, {});
  await controller.remove("old.wav");
  server.trouble = null;
  await controller.remove("old.wav");
  assert.deepEqual(server.forgotten, [], "it is not on the list any more");
  scope.dispose();
});

test("where the page wants it, files are handed in by themselves once, and the button comes if that fails", async () => {
  let told = 0;
  const { controller, server, scope, submit } = open("", { whenSubmitted: () => (told += 1) });
  assert.equal(controller.pending, false);
  await controller.takeFiles([empty("a.wav")]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  controller.draw();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([server.submitted, told, controller.pending], [1, 1, false]);
  scope.dispose();
  const failing = open("", { whenSubmitted: () => {} });
  const announce = failing.server.announce.bind(failing.server);
  failing.server.announce = async (picked) => {
    const known = await announce(picked);
    failing.server.trouble = new Unreachable();
    return known;
  };
  await failing.controller.takeFiles([empty("a.wav")]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([failing.controller.pending, failing.submit], [true, { hidden: false, disabled: false }]);
  failing.scope.dispose();
  assert.equal(submit.hidden, true);
});
