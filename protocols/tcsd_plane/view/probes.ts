// Probes of the hour in view: played one by one or five in a row, and moved by pointer or key.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import { type Scope, WakeSignal } from "../../../frontend/src/lib/scope.ts";
import type { PlayerNews } from "../../../frontend/src/player/slicePlayer.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import type { MarkNews } from "../../../frontend/src/viewer/marks.ts";
import type { OwnProbe } from "./contract.ts";
import type { Day } from "./day.ts";
import { allProbes, fifthAt, PROBES_AN_HOUR, type Probe, probeId, shareOf, withOwn } from "./hours.ts";
import type { Listening } from "./listening.ts";

const GAP_MS = 500;

interface ProbePlayerParts {
  scope: Scope;
  root: ParentNode;
  day: Day;
  listening: Listening;
  planned: readonly (readonly number[])[];
  own: readonly OwnProbe[];
  /** Probes lie somewhere else now, or are known for the first time; `byHand` when the rater put one there. */
  changed(byHand: boolean): void;
}

export class ProbePlayer {
  readonly #parts: ProbePlayerParts;
  readonly #row: HTMLElement;
  readonly #count: HTMLElement;
  readonly #move: HTMLElement;
  readonly #buttons: HTMLButtonElement[];
  #own: OwnProbe[];
  #all: Probe[] = [];
  /** The number that R and Move are about: the one that was played or chosen last. */
  #chosen = 0;
  #moving = false;
  #sounding = false;
  #turn = 0;

  constructor(parts: ProbePlayerParts) {
    this.#parts = parts;
    this.#own = [...parts.own];
    const { root, scope, day } = parts;
    this.#row = need("[data-part=probe-row]", root);
    this.#count = need("[data-part=probe-count]", root);
    this.#move = need("[data-part=probe-move]", root);
    this.#buttons = Array.from({ length: PROBES_AN_HOUR }, (_, offset) => this.#button(offset + 1));
    need("[data-part=probes]", root).replaceChildren(...this.#buttons.map((button) => make("li", {}, button)));
    scope.listen(this.#row, "click", () => this.playRow());
    scope.listen(this.#move, "click", () => this.#setMoving(!this.#moving));
    scope.listen(day.events, "hours", () => this.#lay(false));
    scope.listen(day.events, "hour", () => this.#arrive());
    const { events } = day.viewer;
    scope.listen<CustomEvent<MarkNews>>(events, "move", ({ detail }) => this.#put(Number(detail.id), detail.at));
    scope.listen<CustomEvent<MarkNews>>(events, "choose", ({ detail }) => {
      if (detail.kind === "marker") void this.play(Number(detail.id));
    });
    scope.listen<CustomEvent<number>>(events, "pick", ({ detail }) => this.#picked(detail));
  }

  /** Where the rater has put probes. */
  get own(): readonly OwnProbe[] {
    return this.#own;
  }

  /** All probes, those of the hour that is looked at first. */
  get byNeed(): Probe[] {
    const now = this.#parts.day.hour?.index ?? 0;
    return [...this.#all.filter(({ hour }) => hour >= now), ...this.#all.filter(({ hour }) => hour < now)];
  }

  heardIn(hour: number): number {
    return Array.from({ length: PROBES_AN_HOUR }, (_, offset) => probeId(hour, offset + 1)).filter((id) =>
      this.#parts.listening.hasProbe(id),
    ).length;
  }

  /** One probe of the hour that is looked at. */
  async play(number: number): Promise<void> {
    this.#turn += 1;
    this.#choose(number);
    const probe = this.#here(number);
    if (probe) await this.#sound(probe);
  }

  /** The next one, and after the fifth the first of the next hour. */
  async next(): Promise<void> {
    const { day } = this.#parts;
    const later = this.#here().find(({ number }) => number > this.#chosen);
    if (later) return this.play(later.number);
    const hour = day.hour?.index ?? 0;
    if (this.#here().length && hour + 1 < day.hours.length) day.show(hour + 1);
    const first = this.#here()[0];
    if (first) await this.play(first.number);
  }

  /** All of the hour with half a second between them; whatever else is played ends the row. */
  async playRow(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    for (const [place, probe] of this.#here().entries()) {
      if (place) await new WakeSignal().wait(this.#parts.scope, GAP_MS);
      if (this.#turn !== turn || this.#parts.scope.disposed) return;
      this.#choose(probe.number);
      if (!(await this.#sound(probe))) return;
    }
  }

  stop(): void {
    this.#turn += 1;
  }

  draw(): void {
    const { day, listening } = this.#parts;
    const hour = day.hour?.index ?? 0;
    const markers = this.#here().map(({ number, start, id }) => {
      const name = fill(gettext("Probe {n} in the picture"), { n: number });
      return {
        id: String(number),
        at: start,
        label: String(number),
        name,
        movable: true,
        heard: listening.hasProbe(id),
      };
    });
    day.viewer.setMarkers(markers);
    for (const [offset, button] of this.#buttons.entries())
      this.#drawButton(button, this.#here(offset + 1), offset + 1);
    const of = this.#here().length;
    this.#count.textContent = of
      ? fill(gettext("{n}/{of} probes heard"), { n: this.heardIn(hour), of })
      : gettext("Click in the picture to put a probe there.");
    this.#row.toggleAttribute("disabled", !of);
    this.#move.setAttribute("aria-pressed", String(this.#moving));
  }

  #button(number: number): HTMLButtonElement {
    const button = make("button", { type: "button", class: "probe" });
    this.#parts.scope.listen(button, "click", () => {
      if (this.#here(number)) void this.play(number);
      else this.#arm(number);
    });
    return button;
  }

  #drawButton(button: HTMLButtonElement, probe: Probe | undefined, number: number): void {
    const { day, listening } = this.#parts;
    const heard = probe !== undefined && listening.hasProbe(probe.id);
    const name = probe ? day.nameOf(probe.start) : gettext("not set");
    button.replaceChildren(
      icon("play"),
      make("b", { class: "state-mark" }, String(number)),
      " ",
      make("span", {}, name),
    );
    button.classList.toggle("is-done", heard);
    button.title = name;
    button.setAttribute("aria-pressed", String(number === this.#chosen));
    button.setAttribute(
      "aria-label",
      fill(heard ? gettext("Probe {n} {time}, heard") : gettext("Probe {n} {time}"), { n: number, time: name }),
    );
  }

  /** Probes of the hour that is looked at, or one of them. */
  #here(): Probe[];
  #here(number: number): Probe | undefined;
  #here(number?: number): Probe[] | Probe | undefined {
    const now = this.#parts.day.hour?.index;
    const probes = this.#all.filter(({ hour }) => hour === now);
    return number === undefined ? probes : probes.find((probe) => probe.number === number);
  }

  /** True when it sounded to its end. */
  async #sound(probe: Probe): Promise<boolean> {
    const { day, scope, listening } = this.#parts;
    day.viewer.play(probe.start, probe.stop);
    this.#sounding = true;
    const inner = scope.child();
    const ended = await new Promise<boolean>((resolve) => {
      inner.own(() => resolve(false));
      inner.listen<CustomEvent<PlayerNews>>(day.viewer.events, "stop", ({ detail }) =>
        resolve(detail.reason === "end"),
      );
    });
    inner.dispose();
    this.#sounding = false;
    if (ended) listening.addProbe(probe.id);
    return ended;
  }

  #choose(number: number): void {
    this.#chosen = number;
    this.draw();
  }

  #arm(number: number): void {
    this.#chosen = number;
    this.#setMoving(true);
  }

  #setMoving(moving: boolean): void {
    this.#moving = moving;
    if (moving && !this.#chosen) this.#chosen = 1;
    this.draw();
  }

  /** Another hour: where raters put probes themselves, the first click already puts one. */
  #arrive(): void {
    if (this.#sounding) {
      this.stop();
      this.#parts.day.viewer.stop(); // or it would go on in the other hour as free listening
    }
    this.#chosen = 0;
    this.#moving = this.#parts.planned.length === 0 && this.#here().length < PROBES_AN_HOUR;
    this.draw();
    this.#parts.changed(false);
  }

  #picked(sample: number): void {
    const { day, planned } = this.#parts;
    const { hour } = day;
    if (!this.#moving || !hour) return;
    const number = this.#chosen || fifthAt(hour, sample);
    this.#put(number, sample);
    const free = planned.length === 0 && this.#here().length < PROBES_AN_HOUR;
    this.#chosen = free ? 0 : number;
    this.#setMoving(free);
  }

  #put(number: number, sample: number): void {
    const { day } = this.#parts;
    const { hour } = day;
    if (!hour) return;
    this.#own = withOwn(this.#own, { hour: hour.index, number, share: shareOf(hour, number, sample, day.rateHz) });
    this.#lay(true);
  }

  #lay(byHand: boolean): void {
    const { day, planned, changed } = this.#parts;
    this.#all = allProbes(day.hours, planned, this.#own, day.rateHz);
    this.draw();
    changed(byHand);
  }
}
