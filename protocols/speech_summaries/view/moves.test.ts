import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, TrialPage } from "../../../frontend/src/trial/contract.ts";
import { pageOf } from "../../../frontend/src/trial/fakePages.ts";
import { FakeElement, installFakePage } from "../../../frontend/src/viewer/fakePage.ts";
import { PageMoves } from "./moves.ts";

const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

beforeEach(() => {
  installFakePage(() => new Response());
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
});

/** The second of three pages, with these words picked; what is done is written down. */
function opened(change: Partial<TrialPage> = {}, number = 2) {
  const state = { picked: [1, 2], plays: 0, sounding: false, lacks: false };
  const did: unknown[] = [];
  const part = Object.fromEntries(
    ["finish", "back", "keep", "given", "reopened"].map((name) => [name, new FakeElement("button")] as const),
  );
  const root = { querySelector: (selector: string) => part[/=(.*)]/.exec(selector)?.[1] ?? ""] };
  let [cancel, key] = [() => {}, (_: { key: string }) => false];
  const keys = {
    on: (_: Scope, handler: typeof key) => {
      key = handler;
    },
    onCancel: (_: Scope, handler: () => void) => {
      cancel = handler;
    },
  };
  const page = { ...pageOf(`t${number}`, {}, { place: { number, of: 3 }, ...change }), keys } as unknown as ShownPage;
  const host = {
    sessions: [],
    changing: () => () => {},
    keep: (payload: unknown) => did.push(["kept", payload]),
    finish: async (payload: unknown) => did.push(["finished", payload]),
    answer: async (_: TrialPage, payload: unknown) => did.push(["answered", payload]),
    goOn: () => did.push("went on"),
    pages: async () => ["t1", "t2", "t3"].map((trial) => pageOf(trial)),
    turnTo: (trial: string) => did.push(["turned to", trial]),
    notice: (sentence: string) => did.push(["said", sentence]),
  };
  const moves = new PageMoves({
    root,
    page,
    host,
    scope: new Scope(),
    sound: () => ({ listened: { plays: state.plays, heard_ms: 0 }, sounding: state.sounding }),
    answer: () => ({ picked: state.picked }),
    lacks: () => state.lacks,
  } as never);
  const press = async (name: string) => {
    part[name]?.dispatchEvent(new Event("click"));
    await settled();
  };
  const pick = (...picked: number[]) => {
    state.picked = picked;
    moves.changed();
  };
  return { state, did, part, press, pick, cancel: () => cancel(), key: (name: string) => key({ key: name }) };
}

const whole = (picked: number[], plays = 0) => ({ picked, listened: { plays }, finished: true });

test("Back keeps what was begun and opens the page before, which the first page does not have", async () => {
  const { did, part, press, pick, key } = opened();
  assert.deepEqual([part.back?.hidden, part.reopened?.hidden], [false, true]);
  pick(1);
  await press("back");
  assert.deepEqual(did, [
    ["kept", { picked: [1], listened: { plays: 0 }, finished: false }],
    ["turned to", "t1"],
  ]);
  assert.equal(key("Backspace"), true);
  const first = opened({}, 1);
  assert.deepEqual([first.part.back?.hidden, first.key("Backspace")], [true, false]);
});

test("an answer that is opened again is kept by Next, by its button and by Esc, and nothing is stored", async () => {
  for (const way of ["finish", "keep", "Esc"]) {
    const { did, part, press, pick, cancel, state } = opened({ answered: true });
    assert.equal(part.given?.textContent, "This was your answer. You can change it.");
    if (way !== "finish") pick(5); // and forgotten
    state.sounding = true;
    if (way === "Esc") cancel(); // stops the sound, and no more
    state.sounding = false;
    assert.deepEqual(did, []);
    if (way === "Esc") cancel();
    else await press(way);
    assert.deepEqual(did, ["went on"]);
  }
});

test("a changed answer is stored once, by Next or on the way back, and never half changed", async () => {
  const next = opened({ answered: true });
  next.pick(1, 3);
  await next.press("finish");
  assert.deepEqual(next.did, [["finished", whole([1, 3])]]);
  const back = opened({ answered: true });
  back.pick(1, 3);
  back.state.lacks = true;
  await back.press("back");
  assert.deepEqual(back.did, []);
  back.state.lacks = false;
  await back.press("back");
  assert.deepEqual(back.did, [
    ["answered", whole([1, 3])],
    ["turned to", "t1"],
  ]);
});

test("another hearing of the sound is stored with the answer that stays", async () => {
  const { did, press, pick, state } = opened({ answered: true });
  pick(5);
  state.plays = 1;
  await press("keep");
  assert.deepEqual(did, [["finished", whole([1, 2], 1)]]);
});

test("without a network Back says that it must wait", async () => {
  const { did, press } = opened();
  Object.defineProperty(globalThis, "navigator", { value: { onLine: false }, configurable: true });
  await press("back");
  assert.match(JSON.stringify(did), /^\[\["said","You are offline/);
});
