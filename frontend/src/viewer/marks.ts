// Regions and markers: buttons over the pictures, so that they can be reached, named and moved like any other control.
import { make } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import { arrowStep } from "./controls.ts";
import type { Parts } from "./dom.ts";
import { cover } from "./drawing.ts";
import { clampSample, sampleAt, xOf } from "./geometry.ts";
import type { Marker, Region, ViewerState } from "./state.ts";
import { clockAt, formatClock, formatTime } from "./times.ts";

/** What happened to a mark: chosen (click, Enter), moved to a sample, or asked to be removed (Delete, Backspace). */
export interface MarkNews {
  id: string;
  kind: "marker" | "region";
  at: number;
}
type TellMark = (type: "choose" | "move" | "remove", news: MarkNews) => void;

interface Shown<M> {
  mark: M;
  element: HTMLButtonElement;
  scope: Scope;
}

export class Marks {
  readonly #scope: Scope;
  readonly #parts: Parts;
  readonly #state: ViewerState;
  readonly #tell: TellMark;
  #markers: Shown<Marker>[] = [];
  #regions: Shown<Region>[] = [];
  /** The click that ends a drag is not meant. */
  #dropped = false;
  #dragging: { id: string; x: number; at: number } | null = null;

  constructor(scope: Scope, parts: Parts, state: ViewerState, tell: TellMark) {
    this.#scope = scope;
    this.#parts = parts;
    this.#state = state;
    this.#tell = tell;
    state.on(scope, ["marks"], () => this.#rebuild());
  }

  /** Put every mark where its samples are. */
  place(): void {
    const { view } = this.#state;
    for (const { mark, element } of this.#regions) cover(element, view, mark);
    for (const { mark, element } of this.#markers) {
      const at = this.#dragging?.id === mark.id ? this.#dragging.at : mark.at;
      const x = xOf(view, at);
      element.hidden = x < 0 || x > view.width;
      element.style.setProperty("transform", `translateX(${x}px)`);
    }
  }

  /** Elements are kept while their mark stays, so that a mark that was moved keeps the focus. */
  #rebuild(): void {
    const { markers, regions } = this.#state;
    this.#regions = this.#reconcile(this.#regions, regions, (region) => this.#region(region));
    this.#markers = this.#reconcile(this.#markers, markers, (marker) => this.#marker(marker));
    for (const { mark, element } of this.#markers) {
      element.setAttribute("aria-label", `${mark.name ?? mark.label}, ${this.#timeOf(mark.at)}`);
      element.dataset.heard = mark.heard ? "yes" : "no";
      if (mark.lane !== undefined) element.dataset.lane = String(mark.lane);
      element.dataset.flipped = String(mark.flipped ?? false);
      if (mark.chosen !== undefined) element.setAttribute("aria-pressed", String(mark.chosen));
    }
    this.place();
  }

  #reconcile<M extends Marker | Region>(
    shown: Shown<M>[],
    wanted: readonly M[],
    build: (mark: M) => Shown<M>,
  ): Shown<M>[] {
    const known = new Map(shown.map((one) => [one.mark.id, one]));
    const next = wanted.map((mark) => {
      const old = known.get(mark.id);
      if (!old || old.mark.label !== mark.label) return build(mark);
      known.delete(mark.id);
      return Object.assign(old, { mark });
    });
    for (const { element, scope } of known.values()) {
      scope.dispose();
      element.remove();
    }
    return next;
  }

  #make<M extends Marker | Region>(mark: M, kind: MarkNews["kind"], at: (mark: M) => number): Shown<M> {
    const scope = this.#scope.child();
    const element = make("button", { type: "button", class: `viewer__${kind}` }, make("span", {}, mark.label));
    const shown: Shown<M> = { mark, element, scope };
    const tell = (type: "choose" | "remove") => this.#tell(type, { id: mark.id, kind, at: at(shown.mark) });
    scope.listen(element, "click", () => {
      if (!this.#dropped) tell("choose");
      this.#dropped = false;
    });
    scope.listen<KeyboardEvent>(element, "keydown", (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      tell("remove");
    });
    this.#parts.marks.append(element);
    return shown;
  }

  /** By the clock where the page shows no time in the file. */
  #timeOf(sample: number): string {
    const { rate, manifest, showsFileTime } = this.#state;
    const clockS = showsFileTime ? null : clockAt(manifest.clock, sample, rate);
    return clockS === null ? formatTime(sample / rate, 1) : formatClock(clockS);
  }

  #region(region: Region): Shown<Region> {
    const shown = this.#make(region, "region", ({ start }) => start);
    const times = `${this.#timeOf(region.start)} – ${this.#timeOf(region.stop)}`;
    shown.element.setAttribute("aria-label", `${region.label}, ${times}`);
    return shown;
  }

  #marker(marker: Marker): Shown<Marker> {
    const shown = this.#make(marker, "marker", ({ at }) => at);
    const { element, scope } = shown;
    element.inert = marker.line ?? false;
    if (!marker.movable) return shown;
    element.dataset.movable = "";
    scope.listen<KeyboardEvent>(element, "keydown", (event) => this.#nudge(event, shown));
    scope.listen<PointerEvent>(element, "pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      this.#dragging = { id: marker.id, x: event.clientX, at: shown.mark.at };
    });
    scope.listen<PointerEvent>(element, "pointermove", (event) => this.#drag(event, shown));
    scope.listen<PointerEvent>(element, "pointerup", () => this.#drop(shown));
    scope.listen<PointerEvent>(element, "pointercancel", () => {
      this.#dragging = null;
      this.place();
    });
    return shown;
  }

  #nudge(event: KeyboardEvent, { mark }: Shown<Marker>): void {
    const direction = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    if (!direction) return;
    event.preventDefault();
    event.stopPropagation();
    const { view, rate, length } = this.#state;
    const step = mark.step ?? arrowStep(view, rate);
    const at = clampSample(mark.at + direction * step * (event.shiftKey ? 10 : 1), length);
    this.#tell("move", { id: mark.id, kind: "marker", at });
  }

  #drag(event: PointerEvent, { mark }: Shown<Marker>): void {
    const dragging = this.#dragging;
    if (dragging?.id !== mark.id) return;
    const { view, length } = this.#state;
    dragging.at = sampleAt(view, xOf(view, mark.at) + event.clientX - dragging.x, length);
    this.place();
  }

  #drop({ mark }: Shown<Marker>): void {
    const at = this.#dragging?.id === mark.id ? this.#dragging.at : mark.at;
    this.#dragging = null;
    this.#dropped = at !== mark.at;
    if (at !== mark.at) this.#tell("move", { id: mark.id, kind: "marker", at });
    this.place();
  }
}
