// Forms of the rater's notes: sources, which of them are most present, a row for every hour, and comments.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Token, Workspace } from "./contract.ts";
import { numberOf } from "./crosses.ts";
import type { Day } from "./day.ts";
import { longName, PROBES_AN_HOUR } from "./hours.ts";
import type { NotesModel } from "./notesModel.ts";

const COLUMNS = 2; // of the hours, so that a whole day is seen at once

type Written = Pick<Workspace, "comment" | "lines">;

/** The box beside the plane, and a line for each summary; none of it is required. */
export class Comments {
  readonly #comment: HTMLTextAreaElement;
  readonly #lines: Map<Token, HTMLInputElement>;

  constructor(
    scope: Scope,
    root: ParentNode,
    tokens: readonly Token[],
    { comment = "", lines = {} }: Partial<Written>,
    changed: () => void,
  ) {
    this.#comment = need("[data-part=comment]", root);
    this.#comment.value = comment;
    scope.listen(this.#comment, "input", changed);
    this.#lines = new Map(
      tokens.map((token) => {
        const label = fill(gettext("Why summary {n} stands where it stands"), { n: numberOf(token) });
        const input = make("input", { type: "text", maxlength: "500", "aria-label": label });
        input.value = lines[token] ?? "";
        scope.listen(input, "input", changed);
        return [token, input];
      }),
    );
    const rows = [...this.#lines].map(([token, input]) => make("li", {}, make("b", {}, numberOf(token)), input));
    need("[data-part=lines]", root).replaceChildren(...rows);
    const written = [comment, ...Object.values(lines)];
    need<HTMLDetailsElement>("[data-part=comment-fold]", root).open = written.some(Boolean);
  }

  get written(): Written {
    const lines = [...this.#lines].map(([token, { value }]) => [token, value.trim()] as const);
    return { comment: this.#comment.value, lines: Object.fromEntries(lines.filter(([, line]) => line)) };
  }
}

interface HourNotesParts {
  scope: Scope;
  root: ParentNode;
  day: Day;
  notes: NotesModel;
  /** How many probes of an hour were heard. */
  probes(hour: number): number;
}

/** Notes of the hour in view, the rater's own sources with those that are most present in it, and a row for every hour.
 * No source is offered, because a given list would suggest what is heard. */
export class HourNotes {
  readonly #parts: HourNotesParts;
  readonly #present: HTMLElement;
  readonly #note: HTMLInputElement;
  readonly #rows: HTMLElement;
  readonly #name: HTMLElement;
  readonly #reason: HTMLElement;
  #chips: Scope;
  #lines: Scope;

  constructor(parts: HourNotesParts) {
    this.#parts = parts;
    const { root, scope, day, notes } = parts;
    this.#present = need("[data-part=present]", root);
    this.#note = need("[data-part=note]", root);
    this.#rows = need("[data-part=pad]", root);
    this.#name = need("[data-part=notes-hour]", root);
    this.#reason = need("[data-part=present-reason]", root);
    this.#chips = scope.child();
    this.#lines = scope.child();
    scope.listen(this.#note, "input", () => {
      if (day.hour) notes.setNote(day.hour.index, this.#note.value);
    });
    const form = need<HTMLFormElement>("[data-part=source-form]", root);
    scope.listen(form, "submit", (event) => this.#add(event, need<HTMLInputElement>("input", form)));
    scope.listen(day.events, "hours", () => this.draw());
    scope.listen(day.events, "hour", () => this.#drawHour());
  }

  focusNote(): void {
    this.#note.focus();
  }

  #add(event: Event, input: HTMLInputElement): void {
    event.preventDefault();
    if (this.#parts.notes.addSource(input.value) === null) return;
    input.value = "";
    input.focus();
  }

  draw(): void {
    const held = this.#holdsFocus;
    this.#drawRows();
    this.#drawHour(held);
  }

  get #holdsFocus(): boolean {
    return this.#rows.contains(document.activeElement);
  }

  /** All but the rows, of which another one becomes the current one. */
  #drawHour(held = this.#holdsFocus): void {
    const { day, notes } = this.#parts;
    if (!day.hour) return;
    this.#name.textContent = longName(day.hour, day.rateHz);
    this.#reason.textContent = "";
    const { present, note } = notes.hour(day.hour.index);
    if (this.#note.value !== note) this.#note.value = note;
    this.#drawChips(day.hour.index, present);
    this.#markRow(day.hour.index, held);
  }

  #drawChips(hour: number, present: readonly string[]): void {
    const { notes } = this.#parts;
    const held = document.activeElement?.getAttribute("data-source") ?? null; // drawn anew, a chip keeps the focus
    this.#chips.dispose();
    this.#chips = this.#parts.scope.child();
    const chips = notes.sources.map((source) => {
      const pressed = String(present.includes(source));
      const chip = make(
        "button",
        { type: "button", class: "chip", "aria-pressed": pressed, "data-source": source },
        source,
      );
      this.#chips.listen(chip, "click", () => notes.toggle(hour, source));
      return chip;
    });
    const pairs = chips.map((chip, index) =>
      make("span", { class: "chips__source" }, chip, this.#removal(notes.sources[index] ?? "")),
    );
    const none = make("span", { class: "muted small" }, gettext("Add the sources that you hear. Then choose here."));
    this.#present.replaceChildren(...(pairs.length ? pairs : [none]));
    chips.find((chip) => chip.dataset.source === held)?.focus();
  }

  #removal(source: string): HTMLElement {
    const { notes } = this.#parts;
    const uses = notes.uses(source);
    const label = fill(
      uses
        ? ngettext(
            "{source} stands in {n} hour; take it out there first",
            "{source} stands in {n} hours; take it out there first",
            uses,
          )
        : gettext("Remove {source}"),
      { source, n: uses },
    );
    const remove = make("button", { type: "button", class: "chip__remove", "aria-label": label, title: label }, "×");
    if (uses) remove.setAttribute("aria-disabled", "true");
    this.#chips.listen(remove, "click", () => {
      if (uses) this.#reason.textContent = label;
      else notes.removeSource(source);
    });
    return remove;
  }

  #drawRows(): void {
    this.#lines.dispose();
    this.#lines = this.#parts.scope.child();
    const { hours } = this.#parts.day;
    this.#rows.style.setProperty("--rows", String(Math.ceil(hours.length / COLUMNS)));
    this.#rows.replaceChildren(...hours.map(({ index }) => this.#row(index)));
  }

  #markRow(now: number, held: boolean): void {
    for (const [index, { firstElementChild: row }] of [...this.#rows.children].entries()) {
      if (index === now) row?.setAttribute("aria-current", "true");
      else row?.removeAttribute("aria-current");
    }
    const current = this.#rows.children[now];
    if (!(current instanceof HTMLElement)) return;
    if (held) current.querySelector("button")?.focus({ preventScroll: true });
    this.#lines.after(0, () => this.#bringIntoView(current)); // when the page was laid out anyway
  }

  /** By hand, because scrollIntoView would move the page as well. */
  #bringIntoView({ offsetTop, offsetHeight }: HTMLElement): void {
    const above = offsetTop - this.#rows.scrollTop;
    const fits = above >= 0 && above + offsetHeight <= this.#rows.clientHeight;
    if (!fits) this.#rows.scrollTop = offsetTop - (this.#rows.clientHeight - offsetHeight) / 2;
  }

  #row(index: number): HTMLElement {
    const { day, notes, probes } = this.#parts;
    const hour = day.hours[index];
    const { present, note } = notes.hour(index);
    const heard = probes(index);
    const row = make("button", { type: "button", class: "pad__row" });
    row.append(
      make("span", { class: "pad__hour" }, hour ? longName(hour, day.rateHz) : ""),
      probeDots(heard, fill(gettext("{n}/{of} probes heard"), { n: heard, of: PROBES_AN_HOUR })),
      make("span", { class: "pad__present" }, present.join(", ")),
      make("span", { class: "pad__note" }, note),
    );
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
