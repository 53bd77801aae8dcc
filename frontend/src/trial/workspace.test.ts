import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import type { VoteEvent } from "../outbox/events.ts";
import type { WorkspaceHost } from "./contract.ts";
import { pageOf } from "./fakePages.ts";
import { Keys } from "./keys.ts";
import { asOf } from "./queue.ts";
import { type Step, saveUnloadDraft, takeUnloadDraft, Workspace } from "./workspace.ts";

function step(trial: string, revision: number, payload: string): VoteEvent {
  const clock = { wall: "", monotonic_ms: 0, counter: revision };
  return { event_id: payload, trial, revision, payload, heard: { plays: 0, heard_ms: 0 }, clock, draft: true };
}

test("a page goes on from the newest step on this device that the server does not have", () => {
  const page = pageOf("t1", {}, { revision: 4, draft: "server" });
  const waiting = [step("t1", 4, "five"), step("t1", 5, "six"), step("t2", 9, "other")];
  assert.deepEqual(asOf(page, waiting), { ...page, draft: "six", revision: 6 });
});

test("what the server already has is not put back", () => {
  const page = pageOf("t1", {}, { revision: 4, draft: "server" });
  assert.equal(asOf(page, [step("t1", 3, "older")]), page);
  assert.equal(asOf(page, []), page);
});

/** A workspace over an outbox that takes a while for each step. */
function worked(scope: Scope): { host: WorkspaceHost; steps: Step[]; underWay: number[]; done: Promise<void> } {
  const steps: Step[] = [];
  const underWay: number[] = [];
  const opened: WorkspaceHost[] = [];
  const screen = { workspace: { replaceChildren() {} }, show() {}, markup: () => ({}), notice() {} };
  const workspace = new Workspace({
    page: pageOf("t1", {}, { revision: 2 }),
    view: { open: (host) => opened.push(host) },
    screen: screen as never,
    keys: Object.create(Keys.prototype) as Keys,
    sessions: [],
    scope,
    changing: () => {
      underWay.push(steps.length);
      return () => underWay.pop();
    },
    keep: async (step) => {
      await new Promise((resolve) => setTimeout(resolve, 3 - steps.length));
      steps.push(step);
    },
    renew: async () => ({}),
    pages: async () => [],
    turnTo() {},
    showTrial: () => assert.fail("not asked for"),
  });
  return { host: opened[0] as WorkspaceHost, steps, underWay, done: workspace.done };
}

/** Where a browser would keep a note, and what a page hears when it is left or a dialog has closed. */
function browser(): { leave(): void; close(others: number): void } {
  const notes = new Map<string, string>();
  const window = new EventTarget();
  const localStorage = {
    getItem: (key: string) => notes.get(key) ?? null,
    setItem: (key: string, value: string) => notes.set(key, value),
    removeItem: (key: string) => notes.delete(key),
  };
  let dialogs = 0; // that are open
  const document = Object.assign(new EventTarget(), { querySelector: () => (dialogs ? {} : null) });
  Object.assign(globalThis, { window, document });
  Object.defineProperty(globalThis, "localStorage", { value: localStorage, configurable: true });
  const close = (others: number) => {
    dialogs = others;
    document.dispatchEvent(new Event("close"));
  };
  return { leave: () => window.dispatchEvent(new Event("pagehide")), close };
}

const LISTENED = { plays: 1, heard_ms: 2000 };

beforeEach(() => {
  browser();
});

test("steps are kept one after another, each under the revision after the one before, and the last closes", async () => {
  const scope = new Scope();
  const { host, steps, underWay, done } = worked(scope);
  host.keep("a", LISTENED);
  host.keep("b", LISTENED);
  assert.equal(underWay.length, 2, "neither is safe yet");
  await host.finish("whole", LISTENED);
  await done;
  const kept = steps.map(({ page, payload, draft }) => [payload, page.revision, draft]);
  assert.deepEqual(kept, [
    ["a", 2, true],
    ["b", 3, true],
    ["whole", 4, false],
  ]);
  assert.deepEqual(underWay, []);
  assert.ok(scope.disposed);
});

test("a step made while the page is left is made again on the next page, unless it arrived", async () => {
  const page = browser();
  const first = worked(new Scope());
  page.leave();
  first.host.keep("in the last moment", LISTENED);
  const next = worked(new Scope()); // still at the same revision: the step never arrived
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(
    next.steps.map(({ page: at, payload }) => [payload, at.revision]),
    [["in the last moment", 2]],
  );
  const after = worked(new Scope());
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(after.steps, []);
});

test("when the last dialog has closed, the keyboard goes back to the work", () => {
  const page = browser();
  const scope = new Scope();
  const { host } = worked(scope);
  page.close(0); // a view may have no place for it
  let focused = 0;
  host.resumeAt(() => {
    focused += 1;
  });
  page.close(1);
  assert.equal(focused, 0);
  page.close(0);
  assert.equal(focused, 1);
  scope.dispose();
  page.close(0);
  assert.equal(focused, 1);
});

test("a page that was answered before is left as it is", async () => {
  const { host, steps, done } = worked(new Scope());
  host.goOn();
  await done;
  assert.deepEqual(steps, []);
});

test("a page that was closed elsewhere is over", async () => {
  const scope = new Scope();
  const { done } = worked(scope);
  scope.dispose();
  await done;
});

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
  saveUnloadDraft("a", NOTE);
  assert.deepEqual(takeUnloadDraft("a", 4), NOTE);
  assert.equal(takeUnloadDraft("a", 4), null);
});

test("a step that did arrive, or was replaced on another device, is not made again", () => {
  saveUnloadDraft("a", NOTE);
  assert.equal(takeUnloadDraft("a", 5), null);
  assert.equal(takeUnloadDraft("a", 4), null);
});

test("a note belongs to its page", () => {
  saveUnloadDraft("a", NOTE);
  assert.equal(takeUnloadDraft("b", 4), null);
});

test("where nothing can be kept the page works all the same", () => {
  Object.defineProperty(globalThis, "localStorage", {
    get: () => {
      throw new Error("refused");
    },
    configurable: true,
  });
  saveUnloadDraft("a", NOTE);
  assert.equal(takeUnloadDraft("a", 4), null);
});
