// One line of a caption's card: a score on native radios, or a penalty on chips and in an exact field.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords } from "../../../frontend/src/trial/contract.ts";
import { isPenalty, type Scale } from "./contract.ts";
import { problemText } from "./problems.ts";
import { formatNumber, hasOnlyBegun, readScale, scoreValues } from "./scores.ts";
import type { ThumbsTexts } from "./texts.ts";

const CHIPS = [0, -0.1, -0.5, -1, -2];

export interface RowParts {
  scope: Scope;
  /** Tells the rows of one page apart. */
  id: string;
  scale: Scale;
  words: ScaleWords;
  step: number;
  texts: ThumbsTexts;
  set: (value: number | null) => void;
}

export class Row {
  /** Takes the focus as a whole, so that a digit sets it and Space still plays. */
  readonly element: HTMLElement;
  readonly #parts: RowParts;
  readonly #radios: HTMLInputElement[];
  readonly #exact: HTMLInputElement | null;
  readonly #state: HTMLElement;
  readonly #note: HTMLElement;

  constructor(parts: RowParts) {
    this.#parts = parts;
    const { scope, id, scale, words, step, texts, set } = parts;
    const values = isPenalty(scale) ? CHIPS : scoreValues(step);
    const choices = values.map((value) => choice(id, value, isPenalty(scale) ? anchorOf(words, value) : ""));
    this.#radios = choices.map(({ radio }) => radio);
    this.#state = make("span", { class: "thumbs-row__state" });
    this.#note = make("p", { class: "thumbs-row__note small", id: `${id}-note`, role: "status" });
    this.#exact = isPenalty(scale) ? this.#makeExact() : null;
    const group = make("div", { class: "thumbs-row__choices" }, ...choices.map(({ label }) => label));
    this.element = make(
      "div",
      { class: "thumbs-row", role: "group", "aria-labelledby": `${id}-name`, tabindex: "-1" },
      make(
        "div",
        { class: "thumbs-row__name", id: `${id}-name` },
        make("span", { lang: words.language }, words.word),
        make("kbd", { "aria-hidden": "true" }, scale.charAt(0)),
        this.#state,
      ),
      group,
      ...(this.#exact ? [this.#exact] : [ends(words)]),
      this.#note,
    );
    this.element.dataset.scale = scale;
    this.element.dataset.kind = isPenalty(scale) ? "penalty" : "score";
    this.element.title = words.question;
    this.#state.textContent = texts.unset;
    for (const radio of this.#radios) scope.listen(radio, "change", () => set(Number(radio.value)));
  }

  focus(): void {
    this.element.focus();
  }

  /** Show what is set; what was said about the field no longer holds. */
  show(value: number | null): void {
    this.element.dataset.set = value === null ? "no" : "yes";
    this.#state.textContent = value === null ? this.#parts.texts.unset : "";
    for (const radio of this.#radios) radio.checked = value !== null && Number(radio.value) === value;
    if (!this.#exact || this.#exact === document.activeElement) return;
    if (this.#exact.getAttribute("aria-invalid") === "true") return;
    this.#exact.value = value === null ? "" : formatNumber(value);
  }

  /** A digit that was typed while the row has the focus; says whether it meant something. */
  type(digit: number): boolean {
    const { scale, set } = this.#parts;
    if (isPenalty(scale) ? digit !== 0 : digit < 1 || digit > 5) return false;
    this.#take(digit, set);
    return true;
  }

  /** One step up or down a score. */
  stepBy(way: -1 | 1, from: number | null): boolean {
    const { scale, step, set } = this.#parts;
    if (isPenalty(scale)) return false;
    const values = scoreValues(step);
    const at = from === null ? (way > 0 ? -1 : values.length) : values.indexOf(from);
    const value = values[at + way];
    if (value !== undefined) this.#take(value, set);
    return true;
  }

  /** A minus was typed: what follows is a penalty. */
  beginPenalty(): boolean {
    if (!this.#exact) return false;
    this.#exact.focus();
    this.#exact.value = "-";
    return true;
  }

  /** Forget what was typed and not taken. */
  clearDoubt(): void {
    this.#exact?.removeAttribute("aria-invalid");
    this.#note.textContent = "";
  }

  #take(value: number, set: (value: number) => void): void {
    this.clearDoubt();
    set(value);
  }

  #makeExact(): HTMLInputElement {
    const { scope, id, words, texts } = this.#parts;
    const input = make("input", {
      type: "text",
      class: "thumbs-row__exact num",
      inputmode: "decimal",
      autocomplete: "off",
      placeholder: texts.exact,
      "aria-label": fill(texts.exact_for, { scale: words.word }),
      "aria-describedby": `${id}-note`,
    });
    // Read while it is typed: what is said about it stands there before somebody reaches for Next, which then stays put.
    scope.listen(input, "input", () => this.#read(input));
    scope.listen(input, "change", () => this.#tidy(input));
    scope.listen<KeyboardEvent>(input, "keydown", (event) => {
      if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.focus(); // which makes it change
    });
    return input;
  }

  /** A positive number can only mean the penalty of that size; what was made of it is told. */
  #read(input: HTMLInputElement): void {
    const { scale, step, texts, set } = this.#parts;
    const typed = input.value.trim();
    const reading = readScale(scale, hasOnlyBegun(typed) ? "" : typed, step);
    this.clearDoubt();
    if ("value" in reading) {
      set(reading.value);
      return;
    }
    set(reading.meant ?? null);
    if (reading.meant === undefined) input.setAttribute("aria-invalid", "true");
    this.#note.textContent =
      reading.meant === undefined
        ? problemText(reading.problem, { scale, typed, step }, texts)
        : fill(texts.flipped, { typed, value: formatNumber(reading.meant) });
  }

  /** Show the number as it was taken; what was not taken stays as it was typed. */
  #tidy(input: HTMLInputElement): void {
    const reading = readScale(this.#parts.scale, input.value, this.#parts.step);
    const value = "value" in reading ? reading.value : reading.meant;
    if (value !== undefined) input.value = value === null ? "" : formatNumber(value);
    else if (hasOnlyBegun(input.value)) input.value = "";
  }
}

function choice(id: string, value: number, anchor: string) {
  const radio = make("input", { type: "radio", class: "fills-label", name: id, value: String(value) });
  const words = anchor ? [make("small", {}, anchor)] : [];
  const label = make("label", { class: "thumbs-choice" }, radio, make("span", {}, formatNumber(value)), ...words);
  if (!Number.isInteger(value) && value > 0) label.dataset.half = "yes";
  return { radio, label };
}

function anchorOf({ anchors }: ScaleWords, value: number): string {
  return anchors.find((anchor) => anchor.value === value)?.label ?? "";
}

/** What the two ends of a score mean, the lower one first as the numbers stand. */
function ends(words: ScaleWords): HTMLElement {
  const anchors = [...words.anchors].sort((one, other) => one.value - other.value);
  const texts = anchors.map(({ label }) => make("span", {}, label));
  return make("div", { class: "thumbs-row__ends", lang: words.language }, ...texts);
}
