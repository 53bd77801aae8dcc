// Buttons and keys of a viewer, and the commands behind them.
import { gettext } from "../lib/i18n.ts";

import type { Scope } from "../lib/scope.ts";
import { icon, type Parts } from "./dom.ts";
import { clampSample, pan, reveal, span, type View, viewOf, wholeView, xOf, zoomAround } from "./geometry.ts";
import type { KeySheet } from "./menu.ts";
import type { Playback } from "./playback.ts";
import type { Readout } from "./readout.ts";
import { stepWithin } from "./ruler.ts";
import type { ViewerState } from "./state.ts";

type Command =
  | "toggle"
  | "play"
  | "stop"
  | "left"
  | "right"
  | "select-left"
  | "select-right"
  | "page-left"
  | "page-right"
  | "start"
  | "end"
  | "zoom-in"
  | "zoom-out"
  | "whole"
  | "selection"
  | "follow"
  | "loop"
  | "statistic"
  | "sheet";

/** What a key event is judged by; a KeyboardEvent has all of it. */
export interface Stroke {
  key: string;
  repeat: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

// Only letters that lie in the same place on QWERTY, QWERTZ and AZERTY (not A Q W Z Y M).
const SINGLE: Record<string, Command> = {
  " ": "toggle",
  Enter: "play",
  Escape: "stop",
  PageUp: "page-left",
  PageDown: "page-right",
  Home: "start",
  End: "end",
  "+": "zoom-in",
  "=": "zoom-in",
  "-": "zoom-out",
  _: "zoom-out",
  "?": "sheet",
  e: "whole",
  s: "selection",
  f: "follow",
  l: "loop",
  t: "statistic",
};
// Held down, these go on; the others happen once.
const REPEATING: readonly Command[] = [
  "left",
  "right",
  "select-left",
  "select-right",
  "page-left",
  "page-right",
  "zoom-in",
  "zoom-out",
];

function meaning({ key, shiftKey }: Stroke): Command | null {
  if (key === "ArrowLeft") return shiftKey ? "select-left" : "left";
  if (key === "ArrowRight") return shiftKey ? "select-right" : "right";
  return SINGLE[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/** Where the stroke fell: in a field one types, a slider moves by itself, a button is pressed by Enter and Space. */
export type Place = "text" | "slider" | "button" | "other";

function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof HTMLElement)) return "other";
  if (target instanceof HTMLInputElement && target.type === "range") return "slider";
  if (target.matches("input, textarea, select") || target.isContentEditable) return "text";
  return target.matches("button, a[href], summary") ? "button" : "other";
}

const SLIDER_OWN = /^(Arrow|Page|Home$|End$)/;

function belongsToPlace(key: string, place: Place): boolean {
  if (place === "text") return key !== "Escape";
  if (place === "slider") return SLIDER_OWN.test(key);
  return place === "button" && (key === " " || key === "Enter");
}

/** The command of a stroke, or null when it is none here. Letters and signs can be switched off (WCAG 2.1.4). */
export function commandFor(stroke: Stroke, place: Place, letters: boolean): Command | null {
  if (stroke.ctrlKey || stroke.altKey || stroke.metaKey || belongsToPlace(stroke.key, place)) return null;
  if (!letters && stroke.key.length === 1 && stroke.key !== " ") return null;
  const command = meaning(stroke);
  if (command && stroke.repeat && !REPEATING.includes(command)) return null;
  return command;
}

const ZOOM_STEP = 2;
const PAGE = 0.9;
// An arrow goes 10 s in a view of an hour, and in proportion elsewhere.
const STEPS_IN_VIEW = 360;

/** How far an arrow key goes, in samples. */
export function arrowStep(view: View, sampleRateHz: number): number {
  return Math.max(Math.round(stepWithin(span(view) / sampleRateHz / STEPS_IN_VIEW) * sampleRateHz), 1);
}

/** Commands behind the buttons and keys of a viewer. */
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

const SPOKEN: Partial<Record<Command, "position" | "selection" | "view">> = {
  left: "position",
  right: "position",
  start: "position",
  end: "position",
  "page-left": "view",
  "page-right": "view",
  "zoom-in": "view",
  "zoom-out": "view",
  whole: "view",
  selection: "view",
  "select-left": "selection",
  "select-right": "selection",
};

interface ControlParts {
  scope: Scope;
  parts: Parts;
  state: ViewerState;
  commands: Commands;
  playback: Playback;
  readout: Readout;
  sheet: KeySheet;
  /** Where keys are heard: the viewer itself, the whole page where it is the page's only matter, or nowhere. */
  keysOn: EventTarget | null;
}

/** The buttons and keys of a viewer, and what they look like at each moment. */
export class Controls {
  readonly #with: ControlParts;

  constructor(controlParts: ControlParts) {
    this.#with = controlParts;
    const { scope, parts, state, playback, keysOn } = controlParts;
    const press = (button: HTMLElement, command: Command) => scope.listen(button, "click", () => this.#run(command));
    press(parts.play, "toggle");
    press(parts.stop, "stop");
    press(parts.zoomIn, "zoom-in");
    press(parts.zoomOut, "zoom-out");
    press(parts.whole, "whole");
    press(parts.toSelection, "selection");
    press(parts.loop, "loop");
    press(parts.follow, "follow");
    scope.listen(parts.position, "input", () => playback.seek(Number(parts.position.value)));
    if (keysOn) scope.listen<KeyboardEvent>(keysOn, "keydown", (event) => this.#key(event));
    state.on(scope, ["playing", "options"], () => this.#showPlaying());
    state.on(scope, ["view", "data"], () => this.#showZoom());
    this.#showPlaying();
    this.#showZoom();
  }

  #run(command: Command): void {
    const { commands, readout } = this.#with;
    commands.run(command);
    const spoken = SPOKEN[command];
    if (spoken) readout.announce(spoken);
  }

  #key(event: KeyboardEvent): void {
    const { sheet, playback } = this.#with;
    // Esc stops the sound whatever is open, and still closes what it closes (WCAG 1.4.2).
    if (event.key === "Escape") playback.stop();
    if (event.key === "Escape" || event.defaultPrevented || sheet.isOpen) return;
    const command = commandFor(event, placeOf(event.target), sheet.letters);
    if (!command) return;
    event.preventDefault();
    this.#run(command);
  }

  #showPlaying(): void {
    const { parts, state } = this.#with;
    const sounding = state.playing !== "idle";
    const label = sounding ? gettext("Pause") : gettext("Play");
    if (parts.play.textContent !== label) {
      const words = document.createElement("span");
      words.textContent = label;
      parts.play.replaceChildren(icon(sounding ? "pause" : "play"), words);
    }
    parts.play.setAttribute("aria-busy", String(state.playing === "loading" || state.playing === "stalled"));
    parts.root.dataset.playing = state.playing;
    parts.loop.setAttribute("aria-pressed", String(state.loop));
    parts.follow.setAttribute("aria-pressed", String(state.follow));
  }

  #showZoom(): void {
    const { parts, state } = this.#with;
    const shown = span(state.view);
    // Not disabled: a button that is switched off under one's finger would drop the focus.
    parts.zoomIn.setAttribute("aria-disabled", String(shown <= state.bounds.narrowest * 1.0001));
    const whole = String(shown >= state.bounds.length * 0.9999);
    parts.zoomOut.setAttribute("aria-disabled", whole);
    parts.whole.setAttribute("aria-disabled", whole);
  }
}
