// Menus of a viewer: choices for the picture, the sheet of keys, and the fields of the selection.
import { make } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { Parts } from "./dom.ts";
import type { ViewerState } from "./state.ts";
import { formatDb, formatTime, parseTime } from "./times.ts";

const DECIMALS = 3;

/** The selection in figures: two times that can be typed, and buttons that take them from the cursor. */
export class SelectionFields {
  readonly #parts: Parts;
  readonly #state: ViewerState;

  constructor(scope: Scope, parts: Parts, state: ViewerState) {
    this.#parts = parts;
    this.#state = state;
    for (const input of [parts.start, parts.stopAt]) scope.listen(input, "change", () => this.#read(input));
    scope.listen(parts.clear, "click", () => state.select(0, 0));
    scope.listen(parts.startHere, "click", () => this.#take("start"));
    scope.listen(parts.stopHere, "click", () => this.#take("stop"));
    state.on(scope, ["selection"], () => this.show());
    this.show();
  }

  show(): void {
    const { selection, rate } = this.#state;
    const { start, stopAt, length, clear, toSelection } = this.#parts;
    start.value = selection ? formatTime(selection.start / rate, DECIMALS) : "";
    stopAt.value = selection ? formatTime(selection.stop / rate, DECIMALS) : "";
    const duration = selection ? formatTime((selection.stop - selection.start) / rate, DECIMALS) : "–";
    length.textContent = fill(gettext("Length {length}"), { length: duration });
    clear.disabled = toSelection.disabled = !selection;
    this.#judge(start, true);
    this.#judge(stopAt, true);
  }

  #judge(input: HTMLInputElement, fits: boolean): void {
    if (fits) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    this.#parts.fieldsNote.textContent = fits
      ? ""
      : gettext("This is no time inside the recording. Write hours, minutes and seconds as in 1:02:03.5.");
  }

  #read(input: HTMLInputElement): void {
    const { rate, length, selection } = this.#state;
    const seconds = parseTime(input.value);
    if (seconds === undefined || seconds * rate > length + rate / 2) {
      this.#judge(input, false);
      return;
    }
    // A figure that was not touched keeps its exact sample, of which it shows only milliseconds.
    const other = input === this.#parts.start ? this.#parts.stopAt : this.#parts.start;
    const kept = input === this.#parts.start ? selection?.stop : selection?.start;
    const otherSeconds = parseTime(other.value);
    const end = kept ?? (otherSeconds === undefined ? undefined : Math.round(otherSeconds * rate));
    this.#judge(input, true);
    if (end !== undefined) this.#state.select(Math.round(seconds * rate), end);
  }

  /** Without a drag: the cursor's place becomes one end, and the other stays or is the end of the recording. */
  #take(end: "start" | "stop"): void {
    const { position, selection, length } = this.#state;
    if (end === "start") this.#state.select(position, selection && selection.stop > position ? selection.stop : length);
    else this.#state.select(selection && selection.start < position ? selection.start : 0, position);
  }
}

interface Slider {
  label: string;
  min: number;
  max: number;
  step: number;
  read(): number;
  write(value: number): void;
  print(value: number): string;
}

let made = 0;

function slider(scope: Scope, state: ViewerState, choice: Slider): HTMLElement {
  made += 1;
  const id = `viewer-choice-${made}`;
  const input = make("input", {
    id,
    type: "range",
    min: String(choice.min),
    max: String(choice.max),
    step: String(choice.step),
  });
  const output = make("output", { for: id });
  const show = () => {
    input.value = String(choice.read());
    input.setAttribute("aria-valuetext", choice.print(choice.read()));
    output.textContent = choice.print(choice.read());
  };
  scope.listen(input, "input", () => choice.write(Number(input.value)));
  state.on(scope, ["look"], show);
  show();
  const label = make("label", { for: id }, choice.label);
  return make("div", { class: "viewer__choice" }, label, output, input);
}

function statistics(scope: Scope, state: ViewerState): HTMLElement {
  const choices = [
    { value: "max", text: gettext("Maximum") },
    { value: "mean", text: gettext("Mean") },
  ] as const;
  const buttons = choices.map(({ value, text }) => {
    const button = make("button", { type: "button" }, text);
    scope.listen(button, "click", () => state.setLook({ statistic: value }));
    return { value, button };
  });
  const show = () => {
    for (const { value, button } of buttons)
      button.setAttribute("aria-pressed", String(value === state.look.statistic));
  };
  state.on(scope, ["look"], show);
  show();
  const group = make("div", { class: "choices", role: "group", "aria-label": gettext("One column shows the") });
  group.append(...buttons.map(({ button }) => button));
  return make("div", { class: "field" }, make("span", { class: "eyebrow" }, gettext("One column shows the")), group);
}

/** Gain, range, statistic and height. They change the picture on this screen, never the recording. */
export function fillMenu(scope: Scope, parts: Parts, state: ViewerState): void {
  const { menu, about, sheet } = parts;
  if (state.manifest.spectrogram.statistics.length > 1) sheet.append(statistics(scope, state));
  sheet.append(
    slider(scope, state, {
      label: gettext("Gain"),
      min: -20,
      max: 60,
      step: 1,
      read: () => state.look.gainDb,
      write: (gainDb) => state.setLook({ gainDb }),
      print: formatDb,
    }),
    slider(scope, state, {
      label: gettext("Range"),
      min: 30,
      max: 120,
      step: 5,
      read: () => state.look.rangeDb,
      write: (rangeDb) => state.setLook({ rangeDb }),
      print: formatDb,
    }),
    slider(scope, state, {
      label: gettext("Waveform height"),
      min: 0,
      max: 6,
      step: 1,
      read: () => Math.log2(state.look.waveScale),
      write: (octave) => state.setLook({ waveScale: 2 ** octave }),
      print: (octave) => `×${2 ** octave}`,
    }),
  );
  const close = ({ target }: Event) => {
    if (menu.open && !menu.contains(target as Node)) menu.open = false;
    // It tells what lies under the pointer, so it stays open while one works in the picture.
    if (about.open && ![about, parts.root].some((part) => part.contains(target as Node))) about.open = false;
  };
  scope.listen(document, "pointerdown", close);
  scope.listen(document, "focusin", close);
}

const SHORTCUTS_KEY = "earmark-shortcuts";

function remembered(): boolean {
  try {
    return localStorage.getItem(SHORTCUTS_KEY) !== "off";
  } catch {
    return true;
  }
}

/** The sheet with the choices for the picture, and the sheet of keys. */
export class KeySheet {
  readonly #dialog: HTMLDialogElement;
  /** Whether letters and signs are shortcuts; the same choice as on the rating pages. */
  letters = remembered();

  constructor(scope: Scope, parts: Parts) {
    const choice = make("input", { type: "checkbox" });
    choice.checked = this.letters;
    scope.listen(choice, "change", () => {
      this.letters = choice.checked;
      try {
        localStorage.setItem(SHORTCUTS_KEY, choice.checked ? "on" : "off");
      } catch {
        // Holds for this page.
      }
    });
    const form = make(
      "form",
      { method: "dialog" },
      make("h2", {}, gettext("Keys")),
      make("dl", { class: "facts viewer__keys" }, ...rows()),
      make(
        "label",
        { class: "check" },
        choice,
        make("span", {}, gettext("Use letters and signs as keys. Space, arrows and Esc always work.")),
      ),
      make("button", { class: "button button--primary", autofocus: "" }, gettext("Close")),
    );
    this.#dialog = make("dialog", { class: "key-sheet viewer__key-sheet", "aria-label": gettext("Keys") }, form);
    parts.root.append(this.#dialog);
    scope.listen(parts.keys, "click", () => this.open());
  }

  get isOpen(): boolean {
    return this.#dialog.open;
  }

  open(): void {
    if (!this.#dialog.open) this.#dialog.showModal();
  }
}

function rows(): HTMLElement[] {
  const [shift, page] = [gettext("Shift"), gettext("Page")];
  const keys: [string[], string][] = [
    [[gettext("Space")], gettext("Play or pause")],
    [[gettext("Enter")], gettext("Play from the cursor")],
    [[gettext("Esc")], gettext("Stop the sound")],
    [["←", "→"], gettext("Move the cursor")],
    [[`${shift} ←`, `${shift} →`], gettext("Select")],
    [[`${page} ↑`, `${page} ↓`], gettext("Earlier, later")],
    [[gettext("Home"), gettext("End")], gettext("First and last moment")],
    [["+", "−"], gettext("Zoom in, zoom out")],
    [["E"], gettext("Show the whole recording")],
    [["S"], gettext("Zoom to the selection")],
    [["F"], gettext("Follow the cursor while it plays")],
    [["L"], gettext("Play the selection again and again")],
    [["T"], gettext("Maximum or mean")],
    [["?"], gettext("Show this list")],
  ];
  const mouse: [string, string][] = [
    [gettext("Wheel, two fingers"), gettext("Zoom around the pointer; with Shift, move")],
    [gettext("Drag"), gettext("Move; with Shift, select")],
    [gettext("Drag the ruler"), gettext("Select")],
    [gettext("Double-click"), gettext("Play from there")],
  ];
  return [
    ...keys.flatMap(([names, does]) =>
      row(
        names.map((name) => make("kbd", {}, name)),
        does,
      ),
    ),
    ...mouse.flatMap(([gesture, does]) => row([gesture], does)),
  ];
}

function row(term: (HTMLElement | string)[], does: string): HTMLElement[] {
  return [make("dt", {}, ...term.flatMap((part) => [part, " "])), make("dd", {}, does)];
}
