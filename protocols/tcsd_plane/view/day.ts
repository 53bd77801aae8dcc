// Panel of the full recording: the day as a strip of hours, and one hour of it in the large picture.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Range } from "../../../frontend/src/viewer/remote.ts";
import { clockAt, formatClock, formatTime } from "../../../frontend/src/viewer/times.ts";
import { mountViewer, type Viewer } from "../../../frontend/src/viewer/viewer.ts";
import { onPlaying, wirePlayButton } from "./audioPanel.ts";
import { type Hour, hourAt, hoursOf, longName, PROBES_AN_HOUR, shortName } from "./hours.ts";
import type { PrefetchedSound } from "./prefetch.ts";

interface HourMarks {
  noted: boolean;
  probes: number;
}

const KEYS: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  Home: () => 0,
  End: (_, last) => last,
};

/** The hours of the day as a row of buttons over the strip: which one is looked at, which are noted, which were probed. */
export class HourStrip {
  readonly #root: HTMLElement;
  readonly #day: Day;
  readonly #marks: (hour: number) => HourMarks;
  #buttons: HTMLButtonElement[] = [];
  #built: Scope | null = null;

  constructor(scope: Scope, root: ParentNode, day: Day, marks: (hour: number) => HourMarks) {
    this.#root = need("[data-part=hours]", root);
    this.#day = day;
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
    const heard = fill(gettext("{n}/{of} probes heard"), { n: probes, of: PROBES_AN_HOUR });
    return [longName(hour, this.#day.rateHz), heard, ...(noted ? [gettext("noted")] : [])].join(", ");
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

export const ZOOM_STEP = 2;
// A view zoomed in further than this keeps its zoom.
const CLOSER = 0.5;
// A view that shows more of the hour than this shows the hour.
const NEARLY_ALL = 0.98;

interface DayParts {
  root: ParentNode;
  sound: PrefetchedSound;
  scope: Scope;
  firstHour: number;
}

/** The full recording: the whole day as a strip, one hour of it in the large picture, and the ways to move in it. */
export class Day {
  readonly viewer: Viewer;
  /** CustomEvents: `hours` when they are known or have become others, `hour` when another one is looked at. */
  readonly events = new EventTarget();
  readonly #title: HTMLElement;
  readonly #range: HTMLElement;
  readonly #clock: HTMLElement;
  readonly #firstHour: number;
  #hours: Hour[] = [];
  #index = 0;

  constructor({ root, sound, scope, firstHour }: DayParts) {
    this.#firstHour = firstHour;
    this.#title = need("[data-part=hour-title]", root);
    this.#range = need("[data-part=hour-range]", root);
    this.#clock = need("[data-part=full-clock]", root);
    // Raters work by the clock of the place: time in the file would be a second clock beside it.
    const shown = { bar: false, fields: false, fileTime: false, colourBar: true };
    const tools = need("[data-part=full-tools]", root);
    const options = { base: "", remote: sound, scope, keysOn: null, tools, ...shown };
    this.viewer = mountViewer(need("[data-part=full]", root), options);
    const showPlaying = wirePlayButton(scope, need("[data-part=full-play]", root), () => this.viewer);
    onPlaying(scope, this.viewer, showPlaying);
    const press = (name: string, act: () => void) => scope.listen(need(`[data-part=${name}]`, root), "click", act);
    press("hour-before", () => this.step(-1));
    press("hour-after", () => this.step(1));
    press("zoom-in", () => this.viewer.zoom(ZOOM_STEP));
    press("zoom-out", () => this.viewer.zoom(1 / ZOOM_STEP));
    press("fit", () => this.fit());
    this.#follow(scope);
  }

  get hours(): readonly Hour[] {
    return this.#hours;
  }

  /** The hour that is looked at. */
  get hour(): Hour | undefined {
    return this.#hours[this.#index];
  }

  get rateHz(): number {
    return this.viewer.manifest?.sample_rate_hz ?? 1;
  }

  /** Look at an hour, with the cursor at its beginning. What sounds goes on from there. */
  show(index: number): void {
    const hour = this.#hours[Math.min(Math.max(index, 0), this.#hours.length - 1)];
    if (!hour) return;
    this.viewer.show(hour);
    this.viewer.goTo(hour.start);
  }

  step(by: number): void {
    this.show(this.#index + by);
  }

  fit(): void {
    const { hour } = this;
    if (hour) this.viewer.show(hour);
  }

  /** Move the cursor by seconds, and the picture with it where the cursor would leave it. */
  moveBy(seconds: number): void {
    const { length_samples = 0 } = this.viewer.manifest ?? {};
    const sample = Math.round(this.viewer.position + seconds * this.rateHz);
    this.goTo(Math.min(Math.max(sample, 0), length_samples));
  }

  goTo(sample: number): void {
    const { shown } = this.viewer;
    if (shown && (sample < shown.start || sample > shown.stop)) this.#bring(sample, shown);
    this.viewer.goTo(sample);
  }

  /** The clock at a sample, or file time where there is no clock. */
  nameOf(sample: number): string {
    const clockS = clockAt(this.viewer.manifest?.clock ?? [], sample, this.rateHz);
    return clockS === null ? formatTime(sample / this.rateHz) : formatClock(clockS);
  }

  #bring(sample: number, shown: Range): void {
    const hour = hourAt(this.#hours, sample);
    const wide = shown.stop - shown.start;
    if (hour && wide > CLOSER * (hour.stop - hour.start)) this.viewer.show(hour);
    else this.viewer.show({ start: sample - wide / 2, stop: sample + wide / 2 });
  }

  #follow(scope: Scope): void {
    const { events } = this.viewer;
    scope.listen(events, "ready", () => this.#learn());
    scope.listen(events, "manifest", () => this.#learn());
    scope.listen(events, "view", () => this.#look());
    scope.listen(events, "position", () => this.#tellTime());
    scope.listen<CustomEvent<number>>(events, "jump", ({ detail }) => this.#jump(detail));
  }

  #learn(): void {
    const { manifest } = this.viewer;
    if (!manifest) return;
    const first = this.#hours.length === 0;
    this.#hours = hoursOf(manifest);
    this.events.dispatchEvent(new CustomEvent("hours"));
    this.#name();
    if (first) {
      this.show(this.#firstHour);
      this.events.dispatchEvent(new CustomEvent("hour"));
    }
    this.#tellTime();
  }

  /** A click in the strip: the hour that was meant, with the cursor where the finger was. */
  #jump(sample: number): void {
    const { shown } = this.viewer;
    if (shown) this.#bring(sample, shown);
    this.viewer.goTo(sample);
  }

  /** The hour under the cursor where the cursor is in view, else the one in the middle. */
  #look(): void {
    const { shown, position } = this.viewer;
    if (!shown) return;
    this.#nameRange(shown);
    const seen = position >= shown.start && position < shown.stop ? position : (shown.start + shown.stop) / 2;
    const index = hourAt(this.#hours, seen)?.index ?? 0;
    if (index === this.#index) return;
    this.#index = index;
    this.#name();
    this.events.dispatchEvent(new CustomEvent("hour"));
  }

  #name(): void {
    const { hour } = this;
    write(this.#title, hour ? longName(hour, this.rateHz) : "");
  }

  /** Closer than the hour, the header says what is in view. */
  #nameRange({ start, stop }: Range): void {
    const { hour } = this;
    const closer = hour !== undefined && stop - start < NEARLY_ALL * (hour.stop - hour.start);
    this.#range.hidden = !closer;
    this.#title.classList.toggle("sr-only", closer);
    write(this.#range, closer ? `${this.nameOf(start)}–${this.nameOf(stop)}` : "");
  }

  #tellTime(): void {
    const { position, manifest } = this.viewer;
    const clockS = clockAt(manifest?.clock ?? [], position, this.rateHz);
    const between = manifest?.clock.length ? gettext("between two hours") : formatTime(position / this.rateHz);
    write(this.#clock, clockS === null ? between : formatClock(clockS));
    this.#look();
  }
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
