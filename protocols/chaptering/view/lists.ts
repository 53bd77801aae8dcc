// Lists beside the picture: chapters with times and titles, and the lines of a transcript.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import { formatTime, parseTime } from "../../../frontend/src/viewer/times.ts";
import { type Division, isInside, LONGEST_TITLE, OPENING } from "./division.ts";

interface TranscriptLine {
  /** Null where the line does not say when it is spoken. */
  atS: number | null;
  time: string;
  words: string;
}

const TIMED = /^\[?((?:\d+:)?\d{1,2}:\d{2}(?:[.,]\d+)?)\]?[\s:–-]+(.*)$/;

/** The transcript beside the sound: plain text, or lines that begin with a time and lead there. */
export function linesOf(text: string): TranscriptLine[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, time = "", words = ""] = TIMED.exec(line) ?? [];
      const atS = time ? (parseTime(time) ?? null) : null;
      return atS === null ? { atS, time: "", words: line } : { atS, time, words };
    });
}

/** Put the lines into an element; a time is a button that goes there. */
export function showTranscript(scope: Scope, place: HTMLElement, text: string, goTo: (seconds: number) => void): void {
  const lines = linesOf(text).map(({ atS, time, words }) => {
    if (atS === null) return make("p", {}, words);
    const there = make("button", { type: "button", class: "link-button num" }, time);
    scope.listen(there, "click", () => goTo(atS));
    return make("p", { class: "transcript__line" }, there, make("span", {}, words));
  });
  place.replaceChildren(...lines);
}

/** Actions in the list; the list itself changes nothing. */
interface ListActs {
  choose(id: string): void;
  retitle(id: string, title: string): void;
  /** Titles are typed letter by letter; leaving the field ends the step. */
  rest(): void;
  moveTo(id: string, seconds: number): void;
  hear(id: string): void;
  remove(id: string): void;
  /** Back from the fields to the picture, where keys mean marks. */
  leave(): void;
}

interface ListParts {
  scope: Scope;
  root: ParentNode;
  withTitles: boolean;
  durationS: () => number;
  acts: ListActs;
}

interface Row {
  element: HTMLLIElement;
  number: HTMLElement;
  time: HTMLInputElement;
  title: HTMLInputElement;
  hear: HTMLButtonElement;
  remove: HTMLButtonElement;
  /** What is wrong with the time that was typed. */
  note: HTMLElement;
  scope: Scope;
}

const DECIMALS = 3;

/** The chapters as a list: when each begins, what it is called, and buttons to play or remove it. */
export class ChapterList {
  readonly #parts: ListParts;
  readonly #place: HTMLElement;
  readonly #rows = new Map<string, Row>();

  constructor(parts: ListParts) {
    this.#parts = parts;
    this.#place = need("[data-part=list]", parts.root);
  }

  /** Show the chapters; elements stay while their chapter stays, so that a field that is typed in keeps the focus. */
  show(division: Division, chosen: string | null): void {
    const all = [
      { id: OPENING, atS: 0, title: division.opening },
      ...division.marks.map(({ id, atS, title }) => ({ id, atS, title })),
    ];
    for (const [id, row] of this.#rows) if (!all.some((one) => one.id === id)) this.#drop(id, row);
    const rows = all.map(({ id, atS, title }, index) => {
      const row = this.#rows.get(id) ?? this.#make(id);
      this.#fill(row, index + 1, atS, title);
      if (id === chosen) row.element.setAttribute("aria-current", "true");
      else row.element.removeAttribute("aria-current");
      return row.element;
    });
    this.#arrange(rows);
    if (chosen) this.#rows.get(chosen)?.element.scrollIntoView({ block: "nearest" });
  }

  focusTitle(id: string): void {
    const field = this.#rows.get(id)?.title;
    field?.focus();
    field?.select();
  }

  /** Elements that change places lose the focus; it is given back. */
  #arrange(rows: HTMLElement[]): void {
    const same =
      rows.length === this.#place.children.length && rows.every((row, at) => row === this.#place.children[at]);
    if (same) return;
    const focused = document.activeElement;
    this.#place.replaceChildren(...rows);
    if (focused instanceof HTMLElement && this.#place.contains(focused)) focused.focus();
  }

  #fill(row: Row, number: number, atS: number, title: string): void {
    row.number.textContent = String(number);
    row.element.classList.toggle("is-empty", this.#parts.withTitles && !title);
    row.element.classList.toggle("is-done", this.#parts.withTitles && title !== "");
    if (document.activeElement !== row.time) row.time.value = formatTime(atS, DECIMALS);
    if (row.title.value !== title) row.title.value = title;
    const named = (sentence: string) => fill(sentence, { n: number });
    row.element.setAttribute("aria-label", named(gettext("Chapter {n}")));
    row.time.setAttribute("aria-label", named(gettext("Chapter {n} begins at")));
    row.title.setAttribute("aria-label", named(gettext("Title of chapter {n}")));
    for (const [button, sentence] of [
      [row.hear, gettext("Play from 2 s before chapter {n}")],
      [row.remove, gettext("Remove the mark of chapter {n}")],
    ] as const) {
      button.setAttribute("aria-label", named(sentence));
      button.title = named(sentence);
    }
  }

  #make(id: string): Row {
    const { withTitles, acts } = this.#parts;
    const scope = this.#parts.scope.child();
    const button = (name: string) => make("button", { type: "button", class: `button button--quiet chapter__${name}` });
    const row: Row = {
      element: make("li", { class: "chapter", "data-id": id }),
      number: make("span", { class: "chapter__number state-mark num", "aria-hidden": "true" }),
      time: make("input", { type: "text", class: "num", inputmode: "decimal", autocomplete: "off" }),
      title: make("input", { type: "text", maxlength: String(LONGEST_TITLE), autocomplete: "off" }),
      hear: button("hear"),
      remove: button("remove"),
      note: make("p", { class: "chapter__note small", id: `chapter-${id}-note`, role: "status" }),
      scope,
    };
    row.title.placeholder = gettext("Title");
    row.title.hidden = !withTitles;
    row.time.disabled = row.remove.hidden = id === OPENING;
    row.hear.append(icon("play"));
    row.remove.append("×");
    row.time.setAttribute("aria-describedby", row.note.id);
    row.element.append(row.number, row.hear, row.time, row.title, row.remove, row.note);
    scope.listen(row.element, "focusin", () => acts.choose(id));
    scope.listen(row.hear, "click", () => acts.hear(id));
    scope.listen(row.remove, "click", () => acts.remove(id));
    this.#wireFields(id, row);
    this.#rows.set(id, row);
    return row;
  }

  #wireFields(id: string, { scope, time, title, note }: Row): void {
    const { acts } = this.#parts;
    scope.listen(title, "input", () => acts.retitle(id, title.value));
    scope.listen(title, "blur", () => acts.rest());
    scope.listen(time, "change", () => this.#moveTo(id, time, note));
    for (const field of [title, time])
      scope.listen<KeyboardEvent>(field, "keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        event.preventDefault();
        acts.leave();
      });
  }

  #moveTo(id: string, field: HTMLInputElement, note: HTMLElement): void {
    const { acts, durationS } = this.#parts;
    const seconds = parseTime(field.value);
    const fits = seconds !== undefined && isInside(seconds, durationS());
    field.setAttribute("aria-invalid", String(!fits));
    note.textContent = fits ? "" : gettext("Enter a time within the recording, such as 1:02:03.5.");
    if (fits) acts.moveTo(id, seconds);
  }

  #drop(id: string, { element, scope }: Row): void {
    const heldFocus = element.contains(document.activeElement);
    scope.dispose();
    element.remove();
    this.#rows.delete(id);
    if (heldFocus) this.#parts.acts.leave();
  }
}
