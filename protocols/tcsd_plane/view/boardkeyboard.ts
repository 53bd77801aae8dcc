// The keyboard at the plane: what is pressed on it, and the few keys that reach it from anywhere.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { digitOf, type Keys, placeOf } from "../../../frontend/src/trial/keys.ts";
import { wayBack } from "../../../frontend/src/workspace/wayback.ts";
import { type Command, commandFor } from "./boardkeys.ts";
import type { BoardState } from "./boardstate.ts";
import type { Voice } from "./boardvoice.ts";
import type { Token } from "./contract.ts";
import { numberOf } from "./crosses.ts";

export interface KeyboardParts {
  surface: HTMLElement;
  state: BoardState;
  voice: Voice;
  keys: Keys;
  /** An example's crosses are chosen and not moved. */
  fixed: boolean;
  /** Take back what the pointer holds; false when it holds nothing. */
  letGo: () => boolean;
}

export class KeyboardHand {
  readonly #parts: KeyboardParts;

  constructor(scope: Scope, parts: KeyboardParts) {
    this.#parts = parts;
    const { surface, keys, fixed } = parts;
    scope.listen<KeyboardEvent>(surface, "keydown", (event) => this.#press(event));
    keys.on(scope, (event) => this.#shortcut(event));
    if (!fixed) scope.listen<KeyboardEvent>(document, "keydown", (event) => this.#goBack(event));
  }

  /** Undo and redo, wherever one is, except where something is typed. */
  #goBack(event: KeyboardEvent): void {
    const way = wayBack(event);
    if (!way || placeOf(event.target) === "text" || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    this.#parts.state[way]();
  }

  /** Digits choose a summary and G goes to the plane. */
  #shortcut({ code, key }: KeyboardEvent): boolean {
    const token = this.#numbered(code);
    if (token) this.#parts.state.choose(token);
    else if (key.toLowerCase() === "g") this.#parts.surface.focus();
    else return false;
    return true;
  }

  #numbered(code: string): Token | undefined {
    const digit = digitOf(code);
    return this.#parts.state.tokens.find((token) => numberOf(token) === String(digit));
  }

  #press(event: KeyboardEvent): void {
    if (event.key === "Escape") this.#escape();
    else if (this.#means(event)) takeUp(event);
  }

  /** Whatever was begun is not done. The stroke goes on to whoever stops the sound, so the choice stays. */
  #escape(): void {
    const { state, letGo } = this.#parts;
    if (!letGo() && state.asking) state.ask(null);
  }

  #means(event: KeyboardEvent): boolean {
    const { state, keys, fixed } = this.#parts;
    if (fixed) return false;
    const other = state.asking && !event.repeat && this.#numbered(event.code);
    const command = commandFor(event, keys.enabled);
    if (state.asking && other) state.align(other, state.asking);
    else if (command) this.#obey(command, event.repeat);
    return Boolean(other || command);
  }

  #obey(command: Command, held: boolean): void {
    const { state, voice } = this.#parts;
    const token = state.selected;
    if (token === null) voice.sayAdvice();
    else if (command.do === "nudge") state.nudge(token, command.axis, command.by, held);
    else if (command.do === "settle") state.settle(token, "keys");
    else if (command.do === "lift") state.lift(token, "keys");
    else if (command.do === "relate") voice.sayRelations(token);
    else {
      state.ask(command.axis);
      voice.sayAdvice();
    }
  }
}

/** Nobody else gets it: Page up is an hour elsewhere. */
function takeUp(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
