import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { Matrix, nextPlace } from "./matrix.ts";

const exists = [
  [true, false, true],
  [true, true, true],
  [false, true, true],
];

test("an arrow leads to the next cell, over a gap", () => {
  assert.deepEqual(nextPlace("ArrowRight", { row: 0, column: 0 }, exists), { row: 0, column: 2 });
  assert.deepEqual(nextPlace("ArrowDown", { row: 0, column: 2 }, exists), { row: 1, column: 2 });
  assert.deepEqual(nextPlace("ArrowUp", { row: 2, column: 1 }, exists), { row: 1, column: 1 });
});

test("at the edge, and where only gaps follow, nothing moves", () => {
  assert.equal(nextPlace("ArrowUp", { row: 0, column: 0 }, exists), null);
  assert.equal(nextPlace("ArrowDown", { row: 1, column: 0 }, exists), null);
  assert.equal(nextPlace("ArrowLeft", { row: 2, column: 1 }, exists), null);
});

test("Home and End lead to the first and last cell that exist in the row", () => {
  assert.deepEqual(nextPlace("Home", { row: 2, column: 2 }, exists), { row: 2, column: 1 });
  assert.deepEqual(nextPlace("End", { row: 0, column: 0 }, exists), { row: 0, column: 2 });
});

test("any other key means nothing here", () => {
  assert.equal(nextPlace("a", { row: 0, column: 0 }, exists), null);
});

/** A cell as the page has it: a key with a clip behind it, or a link without. */
class FakeCell {
  readonly dataset: { clip: string; name: string };
  pressed = "false";
  tabIndex = 0;
  focused = 0;

  constructor(name: string, clip = `/${name}/clip/`) {
    this.dataset = { clip, name };
  }

  closest = () => this;
  setAttribute = (_: string, value: string) => {
    this.pressed = value;
  };
  focus = () => {
    this.focused += 1;
  };
}

/** What a browser does with a media element: breaking off what is still loading rejects its promise. */
class FakeAudio extends EventTarget {
  static made: FakeAudio;
  src = "";
  volume = 1;
  #pending: ((problem: Error) => void) | null = null;

  constructor() {
    super();
    FakeAudio.made = this;
  }

  play(): Promise<void> {
    return new Promise((_, reject) => {
      this.#pending = reject;
    });
  }

  pause(): void {
    this.reject("AbortError");
  }

  reject(name: string): void {
    this.#pending?.(Object.assign(new Error(name), { name }));
    this.#pending = null;
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function open() {
  const [one, two, link] = [new FakeCell("one"), new FakeCell("two"), new FakeCell("day", "")];
  const inCell = (cell: FakeCell | null) => ({ querySelector: () => cell });
  const rows = [
    [one, two],
    [null, link],
  ].map((cells) => ({ cells: [inCell(null), ...cells.map(inCell)] }));
  const table = Object.assign(new EventTarget(), { tBodies: [{ rows }] });
  const status = { textContent: "" };
  const scope = new Scope();
  new Matrix(table as unknown as HTMLTableElement, status as unknown as HTMLElement, scope);
  const happen = (type: string, target: FakeCell, more: object = {}) => {
    const event = Object.assign(new Event(type, { cancelable: true }), more);
    Object.defineProperty(event, "target", { value: target });
    table.dispatchEvent(event);
    return event.defaultPrevented;
  };
  return { one, two, link, status, scope, happen };
}

beforeEach(() => {
  Object.assign(globalThis, { Audio: FakeAudio, document: new EventTarget() });
});

test("a key plays its clip at the level of every player, and stops it when pressed again", () => {
  const { one, happen } = open();
  happen("click", one);
  assert.deepEqual([FakeAudio.made.src, FakeAudio.made.volume, one.pressed], ["/one/clip/", 0.5, "true"]);
  happen("click", one);
  assert.equal(one.pressed, "false");
});

test("another key pressed while a clip still loads plays instead of it, and nothing is said to have failed", async () => {
  const { one, two, status, happen } = open();
  happen("click", one);
  happen("click", two);
  await settled();
  assert.deepEqual([one.pressed, two.pressed, status.textContent], ["false", "true", ""]);
});

test("a clip that cannot be played is named, again when it fails again", async () => {
  const { one, status, happen } = open();
  for (let time = 0; time < 2; time += 1) {
    happen("click", one);
    assert.equal(status.textContent, "");
    FakeAudio.made.reject("NotSupportedError");
    await settled();
    assert.deepEqual([one.pressed, status.textContent], ["false", "one could not be played. Load the page again."]);
  }
});

test("a long recording's link is left to the browser, and Escape brings silence", () => {
  const { one, link, happen } = open();
  happen("click", one);
  happen("click", link);
  assert.equal(one.pressed, "true");
  document.dispatchEvent(Object.assign(new Event("keydown"), { key: "Escape" }));
  assert.equal(one.pressed, "false");
});

test("arrows lead from cell to cell and take the tab stop along; with Alt they are the browser's", () => {
  const { one, two, link, happen } = open();
  assert.deepEqual([one.tabIndex, two.tabIndex, link.tabIndex], [0, -1, -1]);
  assert.equal(happen("keydown", one, { key: "ArrowRight", altKey: true }), false);
  assert.equal(happen("keydown", one, { key: "ArrowRight" }), true);
  assert.deepEqual([one.tabIndex, two.tabIndex, two.focused], [-1, 0, 1]);
  happen("keydown", two, { key: "ArrowDown" });
  assert.deepEqual([link.tabIndex, link.focused], [0, 1]);
});

test("leaving the page stops the sound", async () => {
  const { one, scope, status, happen } = open();
  happen("click", one);
  scope.dispose();
  await settled();
  assert.deepEqual([status.textContent, scope.size], ["", 0]);
});
