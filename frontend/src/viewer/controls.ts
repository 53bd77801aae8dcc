// The buttons and keys of a viewer, and what they look like at each moment.
import type { Scope } from "../lib/scope.ts";
import type { Commands } from "./commands.ts";
import { span } from "./geometry.ts";
import { icon } from "./icons.ts";
import { type Command, commandFor, placeOf } from "./keys.ts";
import type { KeySheet } from "./menu.ts";
import type { Parts } from "./parts.ts";
import type { Playback } from "./playback.ts";
import type { Readout } from "./readout.ts";
import type { ViewerState } from "./state.ts";
import type { ViewerTexts } from "./texts.ts";

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

export interface ControlParts {
  scope: Scope;
  parts: Parts;
  state: ViewerState;
  texts: ViewerTexts;
  commands: Commands;
  playback: Playback;
  readout: Readout;
  sheet: KeySheet;
  /** Where keys are heard: the viewer itself, the whole page where it is the page's only matter, or nowhere. */
  keysOn: EventTarget | null;
}

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
    const { parts, state, texts } = this.#with;
    const sounding = state.playing !== "idle";
    const label = sounding ? texts.pause : texts.play;
    if (parts.play.textContent !== label) {
      const words = document.createElement("span");
      words.textContent = label;
      parts.play.replaceChildren(icon(sounding ? "pause" : "play"), words);
    }
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
