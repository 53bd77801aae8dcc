// The example: crosses that stand where they are, and beside them why, with the sounds that the reason talks about.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import { icon } from "../../../frontend/src/viewer/icons.ts";
import type { BoardState } from "./boardstate.ts";
import type { BoardTexts } from "./boardtexts.ts";
import type { BoardOptions, Crosses, ShownCross, Token } from "./contract.ts";
import { numberOf } from "./crosses.ts";

type Shown = Readonly<Record<Token, ShownCross>>;

export function crossesOf(shown: Shown): Crosses {
  return Object.fromEntries(Object.entries(shown).map(([token, { tc, sd }]) => [token, { tc, sd, decided: true }]));
}

/** 30250 is 8:24:10: the time in the file, for a page that knows no clock. */
export function fileTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part, index) => (index ? String(part).padStart(2, "0") : String(part))).join(":");
}

export class Tour {
  readonly element: HTMLElement;
  readonly #state: BoardState;
  readonly #texts: BoardTexts;
  readonly #options: BoardOptions;
  readonly #shown: Shown;
  readonly #outer: Scope;
  #inner = new Scope(); // of the buttons that are shown now
  #told: Token | null = null;

  constructor(scope: Scope, state: BoardState, texts: BoardTexts, options: BoardOptions, shown: Shown) {
    this.#outer = scope;
    this.#state = state;
    this.#texts = texts;
    this.#options = options;
    this.#shown = shown;
    this.element = make("div", { class: "board__reason", role: "status" });
    this.#tell(null);
  }

  draw(): void {
    if (this.#state.selected !== this.#told) this.#tell(this.#state.selected);
  }

  #tell(token: Token | null): void {
    const cross = token === null ? undefined : this.#shown[token];
    this.#told = token;
    this.#inner.dispose();
    this.#inner = this.#outer.child();
    if (token === null || !cross) {
      this.element.replaceChildren(make("p", { class: "muted" }, this.#texts.hint_shown));
      return;
    }
    const n = numberOf(token);
    const summary = this.#sound(fill(this.#texts.play, { n }), () => this.#options.play(token));
    const { hear } = this.#options;
    const stretches = hear ? cross.hears.map((range) => this.#sound(this.#nameOf(range), () => hear(range))) : [];
    this.element.replaceChildren(
      make("h3", {}, fill(this.#texts.why, { n })),
      make("p", {}, cross.why),
      make("div", { class: "row" }, summary, ...stretches),
    );
  }

  #sound(name: string, play: () => void): HTMLButtonElement {
    const button = make("button", { type: "button", class: "button button--small" }, icon("play"), name);
    this.#inner.listen(button, "click", play);
    return button;
  }

  #nameOf([from, to]: [number, number]): string {
    const name = this.#options.nameStretch?.([from, to]) ?? `${fileTime(from)} – ${fileTime(to)}`;
    return fill(this.#texts.hear_full, { time: name });
  }
}
