// The tray: a token for each summary, there also while its cross is on the plane, and a small button that plays it.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { icon } from "../../../frontend/src/viewer/icons.ts";
import type { BoardState } from "./boardstate.ts";
import { type BoardTexts, describe } from "./boardtexts.ts";
import type { Token } from "./contract.ts";
import { numberOf, standingOf } from "./crosses.ts";

export class Tray {
  readonly element: HTMLElement;
  readonly tokens = new Map<Token, HTMLButtonElement>();
  readonly #state: BoardState;
  readonly #texts: BoardTexts;

  constructor(scope: Scope, state: BoardState, texts: BoardTexts, play: (token: Token) => void) {
    this.#state = state;
    this.#texts = texts;
    this.element = make("ul", { class: "board__tray", "aria-label": texts.tray, dir: "ltr" });
    for (const token of state.tokens) this.element.append(this.#slot(scope, token, play));
  }

  draw(): void {
    const { crosses, selected } = this.#state;
    for (const [token, button] of this.tokens) {
      button.setAttribute("data-state", standingOf(crosses[token]));
      button.setAttribute("aria-pressed", String(token === selected));
      button.setAttribute("aria-label", describe(token, crosses, this.#texts));
    }
  }

  #slot(scope: Scope, token: Token, play: (token: Token) => void): HTMLElement {
    const n = numberOf(token);
    const button = make("button", { type: "button", class: "board__token", "data-token": token }, n);
    const name = fill(this.#texts.play, { n });
    const sound = make(
      "button",
      { type: "button", class: "board__play", "aria-label": name, title: name },
      icon("play"),
    );
    scope.listen(button, "click", () => this.#state.choose(token));
    scope.listen(sound, "click", () => {
      this.#state.choose(token);
      play(token);
    });
    this.tokens.set(token, button);
    return make("li", { class: "board__slot" }, button, sound);
  }
}
