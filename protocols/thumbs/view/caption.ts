// Card of one caption: two scores, three penalties, their sum and a comment.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, pgettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords, ShownPage } from "../../../frontend/src/trial/contract.ts";
import { ENTERED, isPenalty, PENALTIES, pageOf, SCORES, type Scale } from "./contract.ts";
import {
  formatNumber,
  formatSum,
  hasOnlyBegun,
  isComplete,
  overall,
  type PageAnswers,
  problemText,
  readScale,
  scoreValues,
} from "./scores.ts";

const LONGEST_IN_VIEW = 280; // characters: a longer caption would cover the lines below it, if it stayed in view
const CHIPS = [0, -0.1, -0.5, -1, -2];

interface RowParts {
  scope: Scope;
  /** Tells the rows of one page apart. */
  id: string;
  /** Id of the caption's heading. */
  caption: string;
  scale: Scale;
  words: ScaleWords;
  step: number;
  set: (value: number | null) => void;
}

/** One line of a caption's card: a score on native radios, or a penalty on chips and in an exact field. */
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
    const { scope, id, caption, scale, words, step, set } = parts;
    const values = isPenalty(scale) ? CHIPS : scoreValues(step);
    const choices = values.map((value) => choice(id, value, isPenalty(scale) ? anchorOf(words, value) : ""));
    this.#radios = choices.map(({ radio }) => radio);
    this.#state = make("span", { class: "thumbs-row__state state-mark" });
    this.#note = make("p", { class: "thumbs-row__note small", id: `${id}-note`, role: "status" });
    this.#exact = isPenalty(scale) ? this.#makeExact() : null;
    const group = make("div", { class: "thumbs-row__choices" }, ...choices.map(({ label }) => label));
    this.element = make(
      "div",
      {
        class: "thumbs-row",
        role: "radiogroup",
        "aria-labelledby": `${caption} ${id}-name`,
        ...(isPenalty(scale) ? {} : { "aria-describedby": `${id}-ends` }),
        tabindex: "-1",
      },
      make(
        "div",
        { class: "thumbs-row__name", id: `${id}-name` },
        make("span", { lang: words.language }, words.word),
        make("kbd", { "aria-hidden": "true" }, scale.charAt(0)),
        this.#state,
      ),
      group,
      ...(this.#exact ? [this.#exact] : [ends(words, `${id}-ends`)]),
      this.#note,
    );
    this.element.dataset.scale = scale;
    this.element.dataset.kind = isPenalty(scale) ? "penalty" : "score";
    this.element.title = words.question;
    this.#state.textContent = pgettext("a score", "not set");
    for (const radio of this.#radios) scope.listen(radio, "change", () => this.#take(Number(radio.value), set));
  }

  focus(): void {
    this.element.focus();
  }

  /** Show what is set; what was said about the field no longer holds. */
  show(value: number | null): void {
    this.element.classList.toggle("is-empty", value === null);
    if (value !== null) this.element.removeAttribute("aria-invalid");
    this.#state.textContent = value === null ? pgettext("a score", "not set") : "";
    for (const radio of this.#radios) radio.checked = value !== null && Number(radio.value) === value;
    if (!this.#exact || this.#exact === document.activeElement) return;
    if (this.#exact.getAttribute("aria-invalid") === "true") return;
    this.#exact.value = value === null ? "" : formatNumber(value);
  }

  /** Mark the line as unanswered after Next was pressed, until it has a value. */
  flag(): void {
    this.element.setAttribute("aria-invalid", "true");
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
    const { scope, id, words } = this.#parts;
    const input = make("input", {
      type: "text",
      class: "thumbs-row__exact num",
      inputmode: "decimal",
      autocomplete: "off",
      placeholder: gettext("other"),
      "aria-label": fill(gettext("{scale}: other value, from 0 to −2"), { scale: words.word }),
      "aria-describedby": `${id}-note`,
    });
    // Read while it is typed: its message is there before Next is reached for, so that Next does not move.
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
    const { scale, step, set } = this.#parts;
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
        ? problemText(reading.problem, { scale, typed, step })
        : fill(gettext("Penalties are negative, so {typed} was entered as {value}."), {
            typed,
            value: formatNumber(reading.meant),
          });
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
function ends(words: ScaleWords, id: string): HTMLElement {
  const anchors = [...words.anchors].sort((one, other) => one.value - other.value);
  const texts = anchors.map(({ label }) => make("span", {}, label));
  return make("div", { class: "thumbs-row__ends", id, lang: words.language }, ...texts);
}

/** Offer the button while words of `text` are selected; they go to the end of the comment. */
function wireQuoting(
  scope: Scope,
  text: HTMLElement,
  comment: HTMLTextAreaElement,
  button: HTMLElement,
  changed: () => void,
): void {
  let words = "";
  scope.listen(document, "selectionchange", () => {
    words = selectedIn(text);
    button.hidden = !words;
  });
  scope.listen(button, "mousedown", (event) => event.preventDefault()); // or the selection would be gone
  scope.listen(button, "click", () => {
    if (!words) return;
    comment.value = withQuote(comment.value, words);
    changed();
    comment.focus();
    comment.setSelectionRange(comment.value.length, comment.value.length);
  });
}

function withQuote(comment: string, words: string): string {
  const before = comment.trimEnd();
  return `${before}${before ? "\n" : ""}“${words}”: `;
}

function selectedIn(text: HTMLElement): string {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return "";
  const inside = [selection.anchorNode, selection.focusNode].every((node) => text.contains(node));
  return inside ? selection.toString().replace(/\s+/g, " ").trim() : "";
}

interface CaptionParts {
  scope: Scope;
  template: HTMLTemplateElement;
  page: ShownPage;
  answers: PageAnswers;
  slot: string;
  number: number;
  changed: (what: "number" | "comment") => void;
}

/** One caption with its two scores, three penalties, their sum and a comment. */
export class CaptionCard {
  readonly element: HTMLElement;
  readonly slot: string;
  readonly number: number;
  readonly #parts: CaptionParts;
  readonly #rows = new Map<Scale, Row>();

  constructor(parts: CaptionParts) {
    this.#parts = parts;
    const { scope, template, page, slot, number } = parts;
    this.slot = slot;
    this.number = number;
    this.element = need(".thumbs-caption", template.content.cloneNode(true) as DocumentFragment);
    this.element.dataset.slot = slot;
    nameCaption(this.element, slot, fill(gettext("Caption {n}"), { n: number }));
    const text = page.texts[slot]?.text ?? "";
    need("[data-part=text]", this.element).textContent = text;
    need(".thumbs-caption__read", this.element).toggleAttribute("data-stays", text.length <= LONGEST_IN_VIEW);
    for (const [place, scales] of [
      ["scores", SCORES],
      ["penalties", PENALTIES],
    ] as const)
      need(`[data-part=${place}]`, this.element).replaceChildren(...scales.map((scale) => this.#row(scale)));
    scope.listen(need("[data-act=none]", this.element), "click", () => this.setNoPenalties());
    this.#wireComment();
    this.#nameTotal();
    this.show();
  }

  setNoPenalties(): void {
    for (const scale of PENALTIES) this.#rows.get(scale)?.clearDoubt();
    this.#parts.answers.setNoPenalties(this.slot);
    this.#changed();
  }

  row(scale: Scale): Row | undefined {
    return this.#rows.get(scale);
  }

  /** Mark every line without a value. */
  flagMissing(): void {
    for (const scale of this.#parts.answers.missingOf(this.slot)) this.#rows.get(scale)?.flag();
  }

  show(): void {
    const { answers } = this.#parts;
    const numbers = answers.numbers(this.slot);
    for (const [scale, row] of this.#rows) row.show(numbers[scale] ?? null);
    const count = ENTERED.length - answers.missingOf(this.slot).length;
    const complete = isComplete(numbers);
    need(".thumbs-caption__head", this.element).classList.toggle("is-done", complete);
    need("[data-part=count]", this.element).textContent = complete
      ? gettext("Done")
      : fill(gettext("{n} of 5"), { n: count });
    const total = need("[data-part=total]", this.element);
    total.dataset.set = complete ? "yes" : "no";
    need("span", total).textContent = complete
      ? `${formatSum(numbers)} = ${formatNumber(overall(numbers))}`
      : gettext("after all five values");
  }

  #row(scale: Scale): HTMLElement {
    const { scope, page, answers } = this.#parts;
    const row = new Row({
      scope,
      scale,
      id: `${this.slot}-${scale}`,
      caption: `${this.slot}-name`,
      words: wordsOf(page, scale),
      step: pageOf(page).step,
      set: (value) => {
        answers.set(this.slot, scale, value);
        this.#changed();
      },
    });
    this.#rows.set(scale, row);
    return row.element;
  }

  #changed(): void {
    this.show();
    this.#parts.changed("number");
  }

  #wireComment(): void {
    const { scope, answers, changed } = this.#parts;
    const comment = need<HTMLTextAreaElement>("textarea", this.element);
    const label = need<HTMLLabelElement>(".thumbs-caption__comment label", this.element);
    comment.id = label.htmlFor = `${this.slot}-comment`;
    comment.setAttribute("aria-label", fill(gettext("Comment on caption {n}"), { n: this.number }));
    comment.value = answers.comment(this.slot);
    const keep = () => {
      answers.setComment(this.slot, comment.value);
      changed("comment");
    };
    scope.listen(comment, "input", keep);
    const quote = need("[data-act=quote]", this.element);
    wireQuoting(scope, need("[data-part=text]", this.element), comment, quote, keep);
  }

  #nameTotal(): void {
    const { page } = this.#parts;
    const total = need("[data-part=total]", this.element);
    total.hidden = hidesOverall(page);
    need("b", total).textContent = wordsOf(page, "OVERALL").word;
  }
}

export function nameCaption(element: HTMLElement, slot: string, name: string): void {
  const heading = need("h2", element);
  heading.id = `${slot}-name`;
  heading.textContent = name;
  element.setAttribute("aria-labelledby", heading.id);
}

/** The words of a scale as the test has them. */
export function wordsOf({ labels }: Pick<ShownPage, "labels">, scale: string): ScaleWords {
  return labels[scale] ?? { language: "", word: scale, question: "", attend: "", anchors: [] };
}

/** Whether assessors may see what their numbers add up to; it invites steering. */
export function hidesOverall({ options }: Pick<ShownPage, "options">): boolean {
  return (options as { overall?: string }).overall === "never";
}
