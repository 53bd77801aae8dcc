// The pad of hours: which sources are most present and a note for the hour that is looked at, and a row for each of the others.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Day } from "./day.ts";
import { longName } from "./hours.ts";
import type { Notebook } from "./notebook.ts";
import { PROBES_AN_HOUR } from "./probes.ts";
import type { PlaneTexts } from "./texts.ts";

export interface PadParts {
  scope: Scope;
  root: ParentNode;
  day: Day;
  notebook: Notebook;
  texts: PlaneTexts;
  /** How many probes of an hour were heard. */
  probes(hour: number): number;
}

export class HourPad {
  readonly #parts: PadParts;
  readonly #present: HTMLElement;
  readonly #note: HTMLInputElement;
  readonly #rows: HTMLElement;
  #chips: Scope;
  #lines: Scope;

  constructor(parts: PadParts) {
    this.#parts = parts;
    const { root, scope, day, notebook } = parts;
    this.#present = need("[data-part=present]", root);
    this.#note = need("[data-part=note]", root);
    this.#rows = need("[data-part=pad]", root);
    this.#chips = scope.child();
    this.#lines = scope.child();
    scope.listen(this.#note, "input", () => {
      if (day.hour) notebook.setNote(day.hour.index, this.#note.value);
    });
    scope.listen(day.events, "hours", () => this.draw());
    scope.listen(day.events, "hour", () => this.draw());
  }

  focusNote(): void {
    this.#note.focus();
  }

  draw(): void {
    const { day, notebook } = this.#parts;
    if (!day.hour) return;
    const { present, note } = notebook.hour(day.hour.index);
    if (this.#note.value !== note) this.#note.value = note;
    this.#drawChips(day.hour.index, present);
    this.#drawRows(day.hour.index);
  }

  #drawChips(hour: number, present: readonly string[]): void {
    const { notebook, texts } = this.#parts;
    const held = document.activeElement?.getAttribute("data-source") ?? null; // drawn anew, a chip keeps the focus
    this.#chips.dispose();
    this.#chips = this.#parts.scope.child();
    const chips = notebook.sources.map((source) => {
      const pressed = String(present.includes(source));
      const chip = make(
        "button",
        { type: "button", class: "chip", "aria-pressed": pressed, "data-source": source },
        source,
      );
      this.#chips.listen(chip, "click", () => notebook.toggle(hour, source));
      return chip;
    });
    const none = make("span", { class: "muted small" }, texts.no_sources);
    this.#present.replaceChildren(...(chips.length ? chips : [none]));
    chips.find((chip) => chip.dataset.source === held)?.focus();
  }

  #drawRows(now: number): void {
    this.#lines.dispose();
    this.#lines = this.#parts.scope.child();
    const held = this.#rows.contains(document.activeElement);
    this.#rows.replaceChildren(...this.#parts.day.hours.map(({ index }) => this.#row(index, index === now)));
    const current = this.#rows.children[now];
    if (!(current instanceof HTMLElement)) return;
    // By hand, because scrollIntoView would move the page as well.
    const { offsetTop, offsetHeight } = current;
    const above = offsetTop - this.#rows.scrollTop;
    const fits = above >= 0 && above + offsetHeight <= this.#rows.clientHeight;
    if (!fits) this.#rows.scrollTop = offsetTop - (this.#rows.clientHeight - offsetHeight) / 2;
    if (held) current.querySelector("button")?.focus({ preventScroll: true });
  }

  #row(index: number, now: boolean): HTMLElement {
    const { day, notebook, texts, probes } = this.#parts;
    const hour = day.hours[index];
    const { present, note } = notebook.hour(index);
    const heard = probes(index);
    const row = make("button", { type: "button", class: "pad__row" });
    row.append(
      make("span", { class: "pad__hour" }, hour ? longName(hour, day.rateHz) : ""),
      probeDots(heard, fill(texts.probes_heard, { n: heard, of: PROBES_AN_HOUR })),
      make("span", { class: "pad__present" }, present.join(", ")),
      make("span", { class: "pad__note" }, note),
    );
    if (now) row.setAttribute("aria-current", "true");
    this.#lines.listen(row, "click", () => day.show(index));
    return make("li", {}, row);
  }
}

function probeDots(heard: number, words: string): HTMLElement {
  const dots = Array.from({ length: PROBES_AN_HOUR }, (_, offset) =>
    make("i", { "aria-hidden": "true", "data-heard": offset < heard ? "yes" : "no" }),
  );
  return make("span", { class: "pad__probes" }, ...dots, make("span", { class: "sr-only" }, words));
}
