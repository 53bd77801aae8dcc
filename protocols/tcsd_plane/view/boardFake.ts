// Fake page with a plane for tests without a browser, whose pointer events go up to the document.
import assert from "node:assert/strict";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { Keys } from "../../../frontend/src/trial/keys.ts";
import { FakeElement, installFakePage } from "../../../frontend/src/viewer/fakePage.ts";
import { mountBoard } from "./board.ts";
import type { BoardOptions } from "./contract.ts";

const SIZE = 568; // 500 px between the origin and the maxima

installFakePage(() => new Response());
Object.assign(globalThis, {
  document: Object.assign(new EventTarget(), document, { querySelector: () => null }),
});
export const focus: { on: FakeElement | null } = { on: null };
Object.assign(FakeElement.prototype, {
  setPointerCapture: () => {},
  focus(this: FakeElement) {
    focus.on = this;
  },
});

export function mount(options: Partial<BoardOptions> = {}) {
  const root = new FakeElement("div");
  const scope = new Scope();
  const keys = new Keys(scope);
  const did: string[] = [];
  const board = mountBoard(
    root as never,
    {
      tokens: ["s1", "s2", "s3"],
      crosses: {},
      play: (token) => did.push(`play ${token}`),
      changed: () => did.push("changed"),
      ...options,
    },
    keys,
    scope,
  );
  const surface = root.find("board__plane");
  surface.clientWidth = SIZE;
  board.select(null); // drawn again at this size
  return { root, scope, keys, board, surface, did, ...hands(surface), find: finder(root) };
}

function finder(root: FakeElement) {
  return (className: string, token: string) => {
    const found = [...root.all()].find(
      (element) => element.className.split(" ").includes(className) && element.getAttribute("data-token") === token,
    );
    assert.ok(found, `${className} of ${token}`);
    return found;
  };
}

/** Events that go up to the document, as they do on a page. */
function hands(surface: FakeElement) {
  const send = (type: string, facts: object, on: FakeElement = surface) => {
    let stopped = false;
    const event = Object.assign(new Event(type, { cancelable: true }), facts);
    event.stopPropagation = () => {
      stopped = true;
    };
    on.dispatchEvent(event);
    if (!stopped) document.dispatchEvent(event);
  };
  const press = (key: string, change: object = {}, on: FakeElement = surface) => {
    const code = /^\d$/.test(key) ? `Digit${key}` : "";
    const modifiers = { shiftKey: false, ctrlKey: false, altKey: false, metaKey: false };
    send("keydown", { key, code, repeat: false, ...modifiers, ...change }, on);
  };
  const point = (
    type: string,
    [clientX, clientY]: readonly [number, number],
    on: FakeElement = surface,
    shiftKey = false,
  ) => send(type, { clientX, clientY, button: 0, pointerId: 1, pointerType: "mouse", shiftKey }, on);
  const click = (at: readonly [number, number]) => {
    point("pointerdown", at);
    point("pointerup", at);
  };
  return { press, point, click };
}

/** The pixel of a place: the square begins at 22 from the left and ends at 546 from above. */
export const at = (tc: number, sd: number) => [22 + 500 * tc, 546 - 500 * sd] as const;
