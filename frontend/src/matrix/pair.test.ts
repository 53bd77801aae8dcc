import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Scope } from "../lib/scope.ts";
import { newest, Pair } from "./pair.ts";

/** A cell with its box, as far as the page has them. */
class FakeBox {
  checked = false;
  tabIndex = 0;
  readonly cell: { dataset: Record<string, string>; contains(other: unknown): boolean; querySelector(): unknown };

  constructor(name: string) {
    this.cell = {
      dataset: {},
      contains: (other) => other === this,
      querySelector: () => ({ dataset: { name } }),
    };
  }

  closest = () => this.cell;
  matches = () => false;
}

function open() {
  const boxes = ["one", "two", "three"].map((name) => new FakeBox(name));
  const button = { disabled: false, focused: 0, focus: () => (button.focused += 1) };
  const text = {
    textContent: "Select two cells.",
    childNodes: ["Select two cells."],
    replaceChildren: (...nodes: string[]) => {
      text.textContent = nodes.join("");
    },
  };
  const form = {
    dataset: {} as Record<string, string>,
    querySelector: (name: string) => (name === "button" ? button : text),
  };
  const table = Object.assign(new EventTarget(), { querySelectorAll: () => boxes });
  const scope = new Scope();
  new Pair(table as unknown as HTMLElement, form as unknown as HTMLElement, scope);
  const happen = (type: string, target: FakeBox, more: object = {}) => {
    const event = Object.assign(new Event(type, { cancelable: true }), more);
    Object.defineProperty(event, "target", { value: target });
    table.dispatchEvent(event);
  };
  const press = (box: FakeBox, key = "c", more: object = {}) => happen("keydown", box, { key, ...more });
  const letters = () => boxes.map((box) => box.cell.dataset.pick ?? "");
  return { boxes, button, text, form, scope, happen, press, letters };
}

beforeEach(() => {
  Object.assign(globalThis, { window: new EventTarget() });
});

test("the newest two stay chosen", () => {
  assert.deepEqual(newest(["a", "b"], "c"), ["b", "c"]);
  assert.deepEqual(newest(["a", "b"], "a"), ["b", "a"]);
});

test("C in two cells chooses them, names them in the order of the table, and leads to the button", () => {
  const { boxes, button, text, form, press, letters } = open();
  const [one, two, three] = boxes as [FakeBox, FakeBox, FakeBox];
  assert.deepEqual([button.disabled, text.textContent, one.tabIndex], [true, "Select two cells.", -1]);
  press(two);
  assert.deepEqual(
    [text.textContent, button.disabled, form.dataset.chosen],
    ["two is selected. Select one more.", true, "1"],
  );
  press(one, "C");
  assert.deepEqual([text.textContent, button.disabled, button.focused], ["A: one. B: two.", false, 1]);
  assert.deepEqual(letters(), ["A", "B", ""]);
  press(three);
  assert.deepEqual(
    [letters(), boxes.map((box) => box.checked)],
    [
      ["A", "", "B"],
      [true, false, true],
    ],
  );
  press(three, "c", { ctrlKey: true });
  press(three, "x");
  assert.deepEqual(letters(), ["A", "", "B"]);
});

test("a box that is ticked and unticked does the same, and nothing listens any more afterwards", () => {
  const { boxes, text, scope, happen, letters } = open();
  const [one] = boxes as [FakeBox];
  one.checked = true;
  happen("change", one);
  assert.deepEqual(letters(), ["A", "", ""]);
  one.checked = false;
  happen("change", one);
  assert.deepEqual([letters(), text.textContent], [["", "", ""], "Select two cells."]);
  scope.dispose();
  one.checked = true;
  happen("change", one);
  assert.deepEqual(letters(), ["", "", ""]);
});
