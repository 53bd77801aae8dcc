// What the buttons and keys of a viewer do.
import { clampSample, pan, reveal, span, type View, viewOf, wholeView, xOf, zoomAround } from "./geometry.ts";
import type { Command } from "./keys.ts";
import type { Playback } from "./playback.ts";
import { stepWithin } from "./ruler.ts";
import type { ViewerState } from "./state.ts";

export const ZOOM_STEP = 2;
const PAGE = 0.9;
// An arrow goes 10 s in a view of an hour, and in proportion elsewhere.
const STEPS_IN_VIEW = 360;

/** How far an arrow key goes, in samples. */
export function arrowStep(view: View, sampleRateHz: number): number {
  return Math.max(Math.round(stepWithin(span(view) / sampleRateHz / STEPS_IN_VIEW) * sampleRateHz), 1);
}

export class Commands {
  readonly #state: ViewerState;
  readonly #playback: Playback;
  readonly #openSheet: () => void;
  /** The end of the selection that Shift and arrows leave in place. */
  #anchor: number | null = null;

  constructor(state: ViewerState, playback: Playback, openSheet: () => void) {
    this.#state = state;
    this.#playback = playback;
    this.#openSheet = openSheet;
  }

  run(command: Command): void {
    if (!command.startsWith("select-")) this.#anchor = null;
    this.#actions[command]();
  }

  zoom(factor: number): void {
    const { view, bounds, position } = this.#state;
    const x = xOf(view, position);
    const around = x >= 0 && x <= view.width ? x : view.width / 2;
    this.#state.setView(zoomAround(view, factor, around, bounds));
  }

  readonly #actions: Record<Command, () => void> = {
    toggle: () => this.#playback.toggle(),
    play: () => this.#playback.play(),
    stop: () => this.#playback.stop(),
    left: () => this.#step(-1),
    right: () => this.#step(1),
    "select-left": () => this.#extend(-1),
    "select-right": () => this.#extend(1),
    "page-left": () => this.#page(-1),
    "page-right": () => this.#page(1),
    start: () => this.#goTo(0),
    end: () => this.#goTo(this.#state.length),
    "zoom-in": () => this.zoom(ZOOM_STEP),
    "zoom-out": () => this.zoom(1 / ZOOM_STEP),
    whole: () => this.#state.setView(wholeView(this.#state.view.width, this.#state.bounds)),
    selection: () => this.#toSelection(),
    follow: () => this.#state.setOptions({ follow: !this.#state.follow }),
    loop: () => this.#state.setOptions({ loop: !this.#state.loop }),
    statistic: () => this.#otherStatistic(),
    sheet: () => this.#openSheet(),
  };

  #step(direction: number): void {
    this.#goTo(this.#state.position + direction * arrowStep(this.#state.view, this.#state.rate));
  }

  #goTo(sample: number): void {
    const { bounds, view, length } = this.#state;
    const target = clampSample(sample, length);
    this.#playback.seek(target);
    this.#state.setView(reveal(view, target, target > view.start ? 0.9 : 0.1, bounds));
  }

  #extend(direction: number): void {
    const { selection, position, view, rate, length } = this.#state;
    if (this.#anchor === null) {
      const fromEnd = selection && position === selection.start;
      this.#anchor = selection ? (fromEnd ? selection.stop : selection.start) : position;
    }
    const moving = selection ? (this.#anchor === selection.start ? selection.stop : selection.start) : position;
    const target = clampSample(moving + direction * arrowStep(view, rate), length);
    this.#state.select(this.#anchor, target);
    this.#state.setView(reveal(this.#state.view, target, direction > 0 ? 0.9 : 0.1, this.#state.bounds));
  }

  #page(direction: number): void {
    const { view, bounds, position } = this.#state;
    const next = pan(view, direction * view.width * PAGE, bounds);
    this.#state.setView(next);
    if (this.#state.playing === "idle") this.#playback.seek(position + next.start - view.start);
    else this.#state.setOptions({ follow: false });
  }

  #toSelection(): void {
    const { selection, view, bounds } = this.#state;
    if (selection) this.#state.setView(viewOf(selection, view.width, bounds));
  }

  #otherStatistic(): void {
    const { look, manifest } = this.#state;
    const other = look.statistic === "max" ? "mean" : "max";
    if (manifest.spectrogram.statistics.includes(other)) this.#state.setLook({ statistic: other });
  }
}
