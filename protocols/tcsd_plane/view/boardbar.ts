// What can be done to the chosen cross, as buttons: decide, lift, same as another, and the way back.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { BoardState } from "./boardstate.ts";
import type { BoardTexts } from "./boardtexts.ts";
import type { Token } from "./contract.ts";
import { type Axis, numberOf } from "./crosses.ts";

type Act = "settle" | "lift" | "undo" | "redo";

export class Bar {
  readonly element: HTMLElement;
  readonly #state: BoardState;
  readonly #texts: BoardTexts;
  readonly #buttons: Record<Act, HTMLButtonElement>;
  readonly #menus: [HTMLDetailsElement, Map<Token, HTMLButtonElement>][];

  constructor(scope: Scope, state: BoardState, texts: BoardTexts) {
    this.#state = state;
    this.#texts = texts;
    const button = (name: Act, act: () => unknown, ...content: (Node | string)[]) => {
      const made = make("button", { type: "button", class: "button button--small", "data-act": name }, ...content);
      scope.listen(made, "click", act);
      return made;
    };
    const chosen = (act: (token: Token) => unknown) => () => state.selected && act(state.selected);
    this.#buttons = {
      settle: button(
        "settle",
        chosen((token) => state.crosses[token] && state.settle(token, state.hand)),
        texts.decide,
        key("⏎"),
      ),
      lift: button(
        "lift",
        chosen((token) => state.lift(token, state.hand)),
        texts.lift,
        key("⌫"),
      ),
      undo: button("undo", () => state.undo(), sign("↶")),
      redo: button("redo", () => state.redo(), sign("↷")),
    };
    for (const act of ["undo", "redo"] as const) {
      this.#buttons[act].setAttribute("aria-label", texts[act]);
      this.#buttons[act].setAttribute("title", texts[act]);
    }
    this.#menus = [this.#menu(scope, "sd"), this.#menu(scope, "tc")];
    const { settle, lift, undo, redo } = this.#buttons;
    const menus = this.#menus.map(([menu]) => menu);
    const wayBack = make("div", { class: "board__group board__group--end" }, undo, redo);
    this.element = make(
      "div",
      { class: "board__bar" },
      make("div", { class: "board__group" }, settle, lift, ...menus),
      wayBack,
    );
  }

  draw(): void {
    const { selected, crosses, canUndo, canRedo } = this.#state;
    const cross = selected === null ? undefined : crosses[selected];
    const { settle, lift, undo, redo } = this.#buttons;
    disable(settle, !cross || cross.decided); // placing takes a click or keys: a button could only choose a place for somebody
    disable(lift, !cross);
    disable(undo, !canUndo);
    disable(redo, !canRedo);
    for (const [menu, others] of this.#menus) {
      const placed = [...others].filter(([token]) => token !== selected && crosses[token]);
      const idle = !cross || placed.length === 0;
      menu.setAttribute("data-idle", idle ? "yes" : "no");
      if (idle) menu.open = false;
      for (const [token, button] of others) button.hidden = token === selected || !crosses[token];
    }
  }

  #menu(scope: Scope, axis: Axis): [HTMLDetailsElement, Map<Token, HTMLButtonElement>] {
    const [name, each] = axis === "sd" ? (["same_sd", "same_sd_as"] as const) : (["same_tc", "same_tc_as"] as const);
    const others = new Map<Token, HTMLButtonElement>();
    const menu = make("details", { class: "menu board__same" });
    for (const token of this.#state.tokens) {
      const n = numberOf(token);
      const label = fill(this.#texts[each], { n });
      const button = make("button", { type: "button", class: "board__other", "aria-label": label }, n);
      scope.listen(button, "click", () => {
        menu.open = false;
        this.#state.align(token, axis);
      });
      others.set(token, button);
    }
    const summary = make("summary", {}, this.#texts[name], key(axis === "sd" ? "S" : "T"));
    menu.append(summary, make("div", { class: "menu__sheet board__others" }, ...others.values()));
    return [menu, others];
  }
}

function key(name: string): HTMLElement {
  return make("kbd", { "aria-hidden": "true" }, name);
}

function sign(glyph: string): HTMLElement {
  return make("span", { class: "board__sign", "aria-hidden": "true" }, glyph);
}

/** Not the attribute `disabled`, which would throw the focus away under somebody's finger. */
function disable(button: HTMLButtonElement, idle: boolean): void {
  button.setAttribute("aria-disabled", String(idle));
}
