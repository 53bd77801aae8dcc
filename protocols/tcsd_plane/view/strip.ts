// The hours of the day as a row of buttons over the strip: which one is looked at, which are noted, which were probed.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Day } from "./day.ts";
import { type Hour, longName, shortName } from "./hours.ts";
import { PROBES_AN_HOUR } from "./probes.ts";
import type { PlaneTexts } from "./texts.ts";

export interface HourMarks {
  noted: boolean;
  probes: number;
}

const KEYS: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  Home: () => 0,
  End: (_, last) => last,
};

export class HourStrip {
  readonly #root: HTMLElement;
  readonly #day: Day;
  readonly #texts: PlaneTexts;
  readonly #marks: (hour: number) => HourMarks;
  #buttons: HTMLButtonElement[] = [];
  #built: Scope | null = null;

  constructor(scope: Scope, root: ParentNode, day: Day, texts: PlaneTexts, marks: (hour: number) => HourMarks) {
    this.#root = need("[data-part=hours]", root);
    this.#day = day;
    this.#texts = texts;
    this.#marks = marks;
    scope.listen(day.events, "hours", () => this.#build(scope));
    scope.listen(day.events, "hour", () => this.draw());
    scope.listen<KeyboardEvent>(this.#root, "keydown", (event) => this.#press(event));
  }

  focus(): void {
    this.#buttons[this.#day.hour?.index ?? 0]?.focus();
  }

  draw(): void {
    const now = this.#day.hour?.index ?? 0;
    for (const [index, button] of this.#buttons.entries()) {
      const hour = this.#day.hours[index];
      const { noted, probes } = this.#marks(index);
      button.tabIndex = index === now ? 0 : -1;
      button.dataset.noted = noted ? "yes" : "no";
      button.dataset.probes = String(probes);
      if (index === now) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (hour) button.setAttribute("aria-label", this.#spoken(hour, noted, probes));
    }
  }

  #build(outer: Scope): void {
    this.#built?.dispose();
    const scope = outer.child();
    this.#built = scope;
    const { hours, viewer } = this.#day;
    const length = viewer.manifest?.length_samples ?? 1;
    this.#buttons = hours.map((hour) => {
      const button = make("button", { type: "button", class: "hours__hour" }, make("span", {}, shortName(hour)));
      button.title = longName(hour, this.#day.rateHz);
      scope.listen(button, "click", () => this.#day.show(hour.index));
      button.style.setProperty("left", `${(hour.start / length) * 100}%`);
      button.style.setProperty("width", `${((hour.stop - hour.start) / length) * 100}%`);
      return button;
    });
    this.#root.replaceChildren(...this.#buttons);
    this.draw();
  }

  #spoken(hour: Hour, noted: boolean, probes: number): string {
    const heard = fill(this.#texts.probes_heard, { n: probes, of: PROBES_AN_HOUR });
    return [longName(hour, this.#day.rateHz), heard, ...(noted ? [this.#texts.noted] : [])].join(", ");
  }

  #press(event: KeyboardEvent): void {
    const goal = KEYS[event.key]?.(this.#day.hour?.index ?? 0, this.#buttons.length - 1);
    if (goal === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // in the hour's picture an arrow is ten seconds
    this.#day.show(goal);
    this.focus();
  }
}
