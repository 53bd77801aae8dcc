// The same crosses as a list, each with two native range inputs: for exactness, and for those who hear the screen.
import { fill, make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { BoardState } from "./boardstate.ts";
import { type BoardTexts, describe, describeRelations, exact, spoken } from "./boardtexts.ts";
import type { Voice } from "./boardvoice.ts";
import type { Token } from "./contract.ts";
import { type Axis, numberOf, standingOf } from "./crosses.ts";

const AXES: readonly Axis[] = ["tc", "sd"];
const NAMES = { tc: "TC", sd: "SD" };
const STEP = "0.01"; // what was put by hand keeps its four decimals until the range itself is moved

interface Row {
  group: HTMLElement;
  ranges: Record<Axis, HTMLInputElement>;
  figures: Record<Axis, HTMLElement>;
  relation: HTMLElement;
}

export class Ranges {
  readonly element: HTMLDetailsElement;
  readonly #state: BoardState;
  readonly #texts: BoardTexts;
  readonly #rows = new Map<Token, Row>();

  constructor(scope: Scope, state: BoardState, texts: BoardTexts, voice: Voice) {
    this.#state = state;
    this.#texts = texts;
    const list = make("ol", { class: "board__rows" });
    for (const token of state.tokens) list.append(this.#row(scope, token, voice));
    const hint = make("p", { class: "small muted" }, texts.list_hint);
    this.element = make("details", { class: "board__list" }, make("summary", {}, texts.list), hint, list);
  }

  /** Whether figures can be seen; every move keeps that. */
  get seen(): boolean {
    return this.element.open;
  }

  draw(): void {
    const { crosses, selected } = this.#state;
    for (const [token, { group, ranges, figures, relation }] of this.#rows) {
      const cross = crosses[token];
      const place = cross ?? this.#state.caretOf(token);
      group.setAttribute("aria-label", describe(token, crosses, this.#texts));
      group.setAttribute("data-state", standingOf(cross));
      group.setAttribute("data-chosen", token === selected ? "yes" : "no");
      relation.textContent = "";
      for (const axis of AXES) {
        ranges[axis].value = String(place[axis]);
        ranges[axis].setAttribute("aria-valuetext", fill(this.#texts.of_maximum, { value: spoken(place[axis]) }));
        figures[axis].textContent = cross ? exact(place[axis]) : "–";
      }
    }
  }

  #row(scope: Scope, token: Token, voice: Voice): HTMLElement {
    const n = numberOf(token);
    const ranges = { tc: this.#range(scope, token, "tc"), sd: this.#range(scope, token, "sd") };
    const figures = { tc: make("output", { class: "num" }), sd: make("output", { class: "num" }) };
    const relation = make("span", { class: "board__relation small" });
    const where = make(
      "button",
      { type: "button", class: "link-button small", "aria-label": fill(this.#texts.where_of, { n }) },
      this.#texts.where,
    );
    const group = make("div", {
      class: "board__row",
      role: "group",
      "aria-roledescription": this.#texts.slider_role,
    });
    group.append(make("span", { class: "board__row-number", "aria-hidden": "true" }, n));
    for (const axis of AXES)
      group.append(
        make("label", { class: "board__range" }, make("span", {}, NAMES[axis]), ranges[axis], figures[axis]),
      );
    group.append(where, relation);
    scope.listen(group, "focusin", () => this.#state.choose(token));
    scope.listen(where, "click", () => {
      relation.textContent = describeRelations(token, this.#state.crosses, this.#texts);
      voice.say(relation.textContent);
    });
    this.#rows.set(token, { group, ranges, figures, relation });
    return make("li", {}, group);
  }

  #range(scope: Scope, token: Token, axis: Axis): HTMLInputElement {
    const name = fill(axis === "tc" ? this.#texts.tc_of : this.#texts.sd_of, { n: numberOf(token) });
    const range = make("input", { type: "range", min: "0", max: "1", step: STEP, dir: "ltr", "aria-label": name });
    let going = false; // one pull is one move, however many values it passes
    scope.listen(range, "input", () => {
      this.#state.slide(token, axis, Number(range.value), "range", going);
      going = true;
    });
    scope.listen(range, "change", () => {
      going = false;
    });
    scope.listen<KeyboardEvent>(range, "keydown", (event) => {
      if (event.repeat || !["Enter", "Backspace"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key === "Enter") this.#state.settle(token, "range");
      else this.#state.lift(token, "range");
    });
    return range;
  }
}
