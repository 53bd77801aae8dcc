// Parts of the plane: drawing, tray of tokens, command buttons, list with range inputs, and announcer.
import { make } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import type { BoardState, News } from "./boardState.ts";
import type { Cross, Place, Token } from "./contract.ts";
import { type Axis, describe, describeAxis, describeRelations, exact, numberOf, spoken, stateOf } from "./crosses.ts";
import {
  ARM,
  boxOf,
  type Frame,
  frameOf,
  type Label,
  MARGIN,
  nearest,
  type Point,
  placeLabels,
  pointOf,
  THICK,
} from "./geometry.ts";

/** Announcer: a line that shows what can be done next, and a live region with figures for screen readers. */
export class Announcer {
  /** Seen by everybody, so it holds no figures: they would invite round values. */
  readonly hint = make("p", { class: "board__hint" });
  readonly live = make("p", { class: "sr-only", role: "status" });
  readonly #state: BoardState;
  readonly #heard: (token: Token) => boolean;

  constructor(state: BoardState, heard: (token: Token) => boolean) {
    this.#state = state;
    this.#heard = heard;
  }

  draw(): void {
    const { selected, crosses } = this.#state;
    this.hint.textContent = this.#advice();
    const unheard = selected !== null && crosses[selected] !== undefined && !this.#heard(selected);
    this.hint.dataset.state = unheard ? "unheard" : "usual";
  }

  say(sentence: string): void {
    this.live.textContent = sentence;
  }

  /** Something that does nothing now was pressed: say why, seen and heard, until something changes. */
  explain(why: string): void {
    this.hint.textContent = why;
    this.hint.dataset.state = "reason";
    this.say(why);
  }

  sayAdvice(): void {
    this.say(this.#advice());
  }

  sayRelations(token: Token): void {
    this.say(describeRelations(token, this.#state.crosses));
  }

  tell(news: News): void {
    const { selected, crosses } = this.#state;
    if (news.what === "moved") this.#tellMoved(news.tokens, news.axis);
    else if (selected === null) return;
    else if (news.what === "caret") this.say(describeAxis(this.#state.caretOf(selected), news.axis));
    else if (news.what === "chosen") this.say(describe(selected, crosses));
  }

  #tellMoved(tokens: Token[], axis: Axis | null): void {
    const [token] = tokens;
    const { crosses } = this.#state;
    const cross = token === undefined ? undefined : crosses[token];
    if (tokens.length > 1 || token === undefined) this.say(gettext("Several crosses have changed."));
    else this.say(axis && cross ? describeAxis(cross, axis) : describe(token, crosses));
  }

  #advice(): string {
    const { selected, asking, crosses } = this.#state;
    if (selected === null) return gettext("Choose a number, then click on the plane where it belongs.");
    const n = numberOf(selected);
    if (asking)
      return fill(
        asking === "tc"
          ? gettext("Summary {n} gets the same TC as which one?")
          : gettext("Summary {n} gets the same SD as which one?"),
        { n },
      );
    const cross = crosses[selected];
    if (!cross)
      return fill(gettext("Click where summary {n} belongs, or go there with the arrow keys and press Enter."), { n });
    if (!this.#heard(selected))
      return fill(gettext("You have placed summary {n}, but not heard it yet. Play it before you decide."), { n });
    return fill(
      cross.decided
        ? gettext("Summary {n} is decided. Move it to think again.")
        : gettext("Summary {n} is tentative. Drag it or click elsewhere; Enter or a double-click decides."),
      { n },
    );
  }
}

const SVG = "http://www.w3.org/2000/svg";
const REACH = 12; // half of the 24 px that WCAG 2.5.8 asks for
const RING = 14;
const OVERSHOOT = 16; // of an arrow past the maximum
const HEAD = 5; // of an arrow
// A cross as an outline, so that it can be hollow.
const CROSS = `M${-THICK} ${-ARM}h${2 * THICK}v${ARM - THICK}h${ARM - THICK}v${2 * THICK}h${THICK - ARM}v${ARM - THICK}h${-2 * THICK}v${THICK - ARM}h${THICK - ARM}v${-2 * THICK}h${ARM - THICK}z`;
const CIRCLE = `M${-RING} 0a${RING} ${RING} 0 1 0 ${2 * RING} 0a${RING} ${RING} 0 1 0 ${-2 * RING} 0`;

function shape(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  if (text) element.textContent = text;
  return element;
}

function set(element: SVGElement, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/** The elements of one cross, on layers of their own: a number interrupts any ring, and no number covers a cross. */
interface Drawn {
  ring: SVGElement;
  cross: SVGElement;
  label: SVGElement;
  leader: SVGElement;
}

/** Draws the plane: axes with arrows past the maximum, dashed lines at both maxima, crosses with their numbers, nothing else. */
export class Drawing {
  readonly svg = shape("svg", { class: "board__drawing", "aria-hidden": "true", focusable: "false" });
  readonly #host: HTMLElement;
  readonly #state: BoardState;
  readonly #axes = shape("g", { class: "board__axes" });
  readonly #caret = shape("path", { class: "board__caret", d: CROSS + CIRCLE });
  readonly #drawn = new Map<Token, Drawn>();
  #frame: Frame = frameOf(0);
  #points = new Map<Token, Point>();
  #labels = new Map<Token, Label>();

  constructor(host: HTMLElement, state: BoardState) {
    this.#host = host;
    this.#state = state;
    const [rings, numbers, crosses] = [shape("g", {}), shape("g", {}), shape("g", {})];
    for (const token of state.tokens) {
      const drawn = makeCross(token);
      this.#drawn.set(token, drawn);
      rings.append(drawn.ring, drawn.leader);
      numbers.append(drawn.label);
      crosses.append(drawn.cross);
    }
    this.svg.append(this.#axes, rings, numbers, crosses, this.#caret);
    host.append(this.svg);
  }

  get frame(): Frame {
    return this.#frame;
  }

  draw(): void {
    this.#fit();
    const { selected, carried, visible } = this.#state;
    const shown: [Token, Place & Partial<Cross>][] = Object.entries(visible).filter(
      ([token]) => token !== carried?.token,
    );
    if (carried) shown.push([carried.token, carried.at]);
    this.#points = new Map(shown.map(([token, place]) => [token, pointOf(place, this.#frame)]));
    const labels = placeLabels([...this.#points.values()], this.#frame.size);
    this.#labels = new Map(shown.map(([token], index) => [token, labels[index] as Label]));
    for (const [token, drawn] of this.#drawn) this.#drawCross(token, drawn);
    const waits = selected !== null && !this.#points.has(selected);
    const { x, y } = pointOf(waits ? this.#state.caretOf(selected) : { tc: 0, sd: 0 }, this.#frame);
    set(this.#caret, { transform: `translate(${x} ${y})`, visibility: waits ? "visible" : "hidden" });
  }

  /** Which cross a pointer means: the nearest one, or the one whose number it is on. */
  hit(at: Point): Token | null {
    const near = nearest(this.#points, at, REACH, this.#state.selected);
    if (near) return near;
    const on = [...this.#labels].find(([, label]) => {
      const { left, right, top, bottom } = boxOf(label);
      return at.x >= left && at.x <= right && at.y >= top && at.y <= bottom;
    });
    return on?.[0] ?? null;
  }

  #fit(): void {
    const size = this.#host.clientWidth;
    if (size === this.#frame.size || size === 0) return; // while it is hidden it keeps its size
    this.#frame = frameOf(size);
    set(this.svg, { width: size, height: size, viewBox: `0 0 ${size} ${size}` });
    this.#axes.replaceChildren(...drawAxes(this.#frame));
  }

  #drawCross(token: Token, { ring, cross, label, leader }: Drawn): void {
    const [point, at] = [this.#points.get(token), this.#labels.get(token)];
    const visibility = point ? "visible" : "hidden";
    for (const element of [ring, cross, label, leader]) set(element, { visibility });
    if (!point || !at) return;
    const { selected, carried, crosses } = this.#state;
    const state = carried?.token === token ? "carried" : stateOf(crosses[token]);
    const data = { "data-state": state, "data-chosen": token === selected ? "yes" : "no" };
    set(ring, { cx: point.x, cy: point.y, ...data });
    set(cross, { transform: `translate(${point.x} ${point.y})`, ...data });
    set(label, { x: at.x, y: at.y, ...data });
    set(leader, { x1: point.x, y1: point.y, x2: at.x, y2: at.y, visibility: at.far ? "visible" : "hidden" });
  }
}

function makeCross(token: Token): Drawn {
  const ring = shape("circle", { class: "board__ring", r: RING });
  const cross = shape("path", { class: "board__cross", "data-token": token, d: CROSS });
  const label = shape("text", { class: "board__number", dy: "0.35em" }, numberOf(token));
  return { ring, cross, label, leader: shape("line", { class: "board__leader" }) };
}

function drawAxes({ side, left, top, size }: Frame): SVGElement[] {
  const [right, bottom, end] = [left + side, top + side, size - MARGIN.after + OVERSHOOT];
  const tip = top - OVERSHOOT;
  return [
    shape("path", { class: "board__maximum", d: `M${left} ${top}H${right}V${bottom}` }),
    shape("path", { class: "board__axis", d: `M${left} ${tip}V${bottom}H${end}` }),
    shape("path", {
      class: "board__head",
      d: `M${left - HEAD} ${tip + HEAD}L${left} ${tip - HEAD}L${left + HEAD} ${tip + HEAD}z`,
    }),
    shape("path", {
      class: "board__head",
      d: `M${end - HEAD} ${bottom - HEAD}L${end + HEAD} ${bottom}L${end - HEAD} ${bottom + HEAD}z`,
    }),
    shape("text", { class: "board__axis-name", x: left, y: tip - 2.5 * HEAD }, "SD"),
    shape("text", { class: "board__axis-name", x: end + 3.2 * HEAD, y: bottom, dy: "0.35em" }, "TC"),
  ];
}

/** The tray: a token for each summary, there also while its cross is on the plane, and a small button that plays it. */
export class Tray {
  readonly element: HTMLElement;
  readonly tokens = new Map<Token, HTMLButtonElement>();
  readonly #state: BoardState;
  readonly #heard: (token: Token) => boolean;

  constructor(scope: Scope, state: BoardState, play: (token: Token) => void, heard: (token: Token) => boolean) {
    this.#state = state;
    this.#heard = heard;
    this.element = make("ul", { class: "board__tray", "aria-label": gettext("Summaries"), dir: "ltr" });
    for (const token of state.tokens) this.element.append(this.#slot(scope, token, play));
  }

  draw(): void {
    const { crosses, visible, selected } = this.#state;
    for (const [token, button] of this.tokens) {
      button.setAttribute("data-state", stateOf(crosses[token]));
      button.classList.toggle("is-empty", !crosses[token]);
      button.classList.toggle("is-done", crosses[token] !== undefined);
      button.setAttribute("aria-pressed", String(token === selected));
      const heard = this.#heard(token);
      const hidden = crosses[token] && !visible[token];
      const name = hidden ? fill(gettext("Summary {n}, placed"), { n: numberOf(token) }) : describe(token, crosses);
      button.setAttribute("data-heard", heard ? "yes" : "no");
      button.setAttribute("aria-label", heard ? name : fill(gettext("{summary}, not heard yet"), { summary: name }));
      button.title = heard ? "" : gettext("Not heard yet");
    }
  }

  #slot(scope: Scope, token: Token, play: (token: Token) => void): HTMLElement {
    const n = numberOf(token);
    const button = make("button", { type: "button", class: "board__token", "data-token": token }, n);
    const name = fill(gettext("Play summary {n}"), { n });
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

type Act = "settle" | "lift" | "undo" | "redo";

/** A choice among the other crosses; locked while there is none. */
interface SameMenu {
  menu: HTMLDetailsElement;
  summary: HTMLElement;
  others: Map<Token, HTMLButtonElement>;
  /** What the summary's tooltip says otherwise. */
  key: string;
}

/** Buttons for the chosen cross: decide, lift, same as another, undo and redo. */
export class Bar {
  readonly element: HTMLElement;
  readonly #state: BoardState;
  readonly #buttons: Record<Act, HTMLButtonElement>;
  readonly #menus: SameMenu[];
  readonly #announcer: Announcer;

  constructor(scope: Scope, state: BoardState, announcer: Announcer) {
    this.#state = state;
    this.#announcer = announcer;
    const button = (name: Act, act: () => unknown, ...content: (Node | string)[]) => {
      const made = make("button", { type: "button", class: "button button--small", "data-act": name }, ...content);
      scope.listen(made, "click", () => {
        if (isDisabled(made)) announcer.explain(made.title);
        else act();
      });
      return made;
    };
    const chosen = (act: (token: Token) => unknown) => () => state.selected && act(state.selected);
    this.#buttons = {
      settle: button(
        "settle",
        chosen((token) => state.crosses[token] && state.settle(token, state.lastInput)),
        gettext("Decide"),
        key("⏎"),
      ),
      lift: button(
        "lift",
        chosen((token) => state.lift(token, state.lastInput)),
        gettext("Remove"),
        key("⌫"),
      ),
      undo: button("undo", () => state.undo(), sign("↶")),
      redo: button("redo", () => state.redo(), sign("↷")),
    };
    this.#buttons.undo.setAttribute("aria-label", gettext("Undo"));
    this.#buttons.redo.setAttribute("aria-label", gettext("Redo"));
    this.#menus = [this.#menu(scope, "sd"), this.#menu(scope, "tc")];
    const { settle, lift, undo, redo } = this.#buttons;
    const menus = this.#menus.map(({ menu }) => menu);
    const undoGroup = make("div", { class: "board__group board__group--end" }, undo, redo);
    this.element = make(
      "div",
      { class: "board__bar" },
      make("div", { class: "board__group" }, settle, lift, ...menus),
      undoGroup,
    );
  }

  draw(): void {
    const { selected, crosses, canUndo, canRedo } = this.#state;
    const cross = selected === null ? undefined : crosses[selected];
    const { settle, lift, undo, redo } = this.#buttons;
    const first = cross ? "" : gettext("Place a cross first");
    // Placing takes a click or keys: a button could not know the place.
    disable(settle, cross?.decided ? gettext("Decided already") : first);
    disable(lift, first);
    disable(undo, canUndo ? "" : gettext("Nothing to undo"), gettext("Undo"));
    disable(redo, canRedo ? "" : gettext("Nothing to redo"), gettext("Redo"));
    this.#drawMenus(cross !== undefined);
  }

  #drawMenus(placed: boolean): void {
    const { selected, crosses } = this.#state;
    for (const { menu, summary, others, key } of this.#menus) {
      const targets = [...others].filter(([token]) => token !== selected && crosses[token]);
      const idle = !placed || targets.length === 0;
      summary.classList.toggle("is-locked", idle);
      summary.setAttribute("aria-disabled", String(idle));
      summary.title = idle ? gettext("Needs two crosses on the plane") : key;
      if (idle) menu.open = false;
      for (const [token, button] of others) button.hidden = token === selected || !crosses[token];
    }
  }

  #menu(scope: Scope, axis: Axis): SameMenu {
    const [name, each] =
      axis === "sd"
        ? [gettext("Same SD"), gettext("Same SD as summary {n}")]
        : [gettext("Same TC"), gettext("Same TC as summary {n}")];
    const others = new Map<Token, HTMLButtonElement>();
    const menu = make("details", { class: "menu board__same" });
    for (const token of this.#state.tokens) {
      const n = numberOf(token);
      const label = fill(each, { n });
      const button = make("button", { type: "button", class: "board__other", "aria-label": label }, n);
      scope.listen(button, "click", () => {
        menu.open = false;
        this.#state.align(token, axis);
      });
      others.set(token, button);
    }
    const summary = make("summary", {}, name);
    scope.listen(summary, "click", (event) => {
      if (!isDisabled(summary)) return;
      event.preventDefault();
      this.#announcer.explain(summary.title);
    });
    menu.append(summary, make("div", { class: "menu__sheet board__others" }, ...others.values()));
    return { menu, summary, others, key: axis === "sd" ? "S" : "T" };
  }
}

function key(name: string): HTMLElement {
  return make("kbd", { "aria-hidden": "true" }, name);
}

function sign(glyph: string): HTMLElement {
  return make("span", { class: "board__sign", "aria-hidden": "true" }, glyph);
}

function isDisabled(control: HTMLElement): boolean {
  return control.getAttribute("aria-disabled") === "true";
}

/** Say why a button does nothing now; not by the attribute `disabled`, which would lose the focus. */
function disable(button: HTMLButtonElement, why: string, title = ""): void {
  button.setAttribute("aria-disabled", String(why !== ""));
  button.title = why || title;
}

const AXES: readonly Axis[] = ["tc", "sd"];
const NAMES = { tc: "TC", sd: "SD" };
const STEP = "0.01"; // what was put by pointer keeps its four decimals until the range itself is moved

interface Row {
  group: HTMLElement;
  ranges: Record<Axis, HTMLInputElement>;
  figures: Record<Axis, HTMLElement>;
  relation: HTMLElement;
}

/** The same crosses as a list, each with two native range inputs: for exact values, and for screen readers. */
export class Ranges {
  readonly element: HTMLDetailsElement;
  readonly #state: BoardState;
  readonly #rows = new Map<Token, Row>();

  constructor(scope: Scope, state: BoardState, announcer: Announcer) {
    this.#state = state;
    const list = make("ol", { class: "board__rows" });
    for (const token of state.tokens) list.append(this.#row(scope, token, announcer));
    const hint = make(
      "p",
      { class: "small muted" },
      gettext(
        "Enter on a slider places a cross and then decides it; Backspace removes it. Each move notes whether this list was open.",
      ),
    );
    this.element = make(
      "details",
      { class: "board__list" },
      make("summary", {}, gettext("List with values")),
      make("div", { class: "board__sheet" }, hint, list),
    );
  }

  /** Give the plane its place back. */
  close(): void {
    this.element.open = false;
  }

  /** Whether figures can be seen; every move keeps that. */
  get seen(): boolean {
    return this.element.open;
  }

  draw(): void {
    const { crosses, visible, selected } = this.#state;
    for (const [token, { group, ranges, figures, relation }] of this.#rows) {
      const cross = crosses[token];
      group.hidden = cross !== undefined && !visible[token];
      const place = cross ?? this.#state.caretOf(token);
      group.setAttribute("aria-label", describe(token, crosses));
      group.setAttribute("data-state", stateOf(cross));
      group.setAttribute("data-chosen", token === selected ? "yes" : "no");
      relation.textContent = "";
      for (const axis of AXES) {
        ranges[axis].value = String(place[axis]);
        ranges[axis].setAttribute(
          "aria-valuetext",
          fill(gettext("{value} of maximum"), { value: spoken(place[axis]) }),
        );
        figures[axis].textContent = cross ? exact(place[axis]) : "–";
      }
    }
  }

  #row(scope: Scope, token: Token, announcer: Announcer): HTMLElement {
    const n = numberOf(token);
    const ranges = { tc: this.#range(scope, token, "tc"), sd: this.#range(scope, token, "sd") };
    const figures = { tc: make("output", { class: "num" }), sd: make("output", { class: "num" }) };
    const relation = make("span", { class: "board__relation small" });
    const where = make(
      "button",
      { type: "button", class: "link-button small", "aria-label": fill(gettext("Where is summary {n}?"), { n }) },
      gettext("Where?"),
    );
    const group = make("div", {
      class: "board__row",
      role: "group",
      "aria-roledescription": gettext("2D slider"),
    });
    group.append(make("span", { class: "board__row-number", "aria-hidden": "true" }, n));
    for (const axis of AXES)
      group.append(
        make("label", { class: "board__range" }, make("span", {}, NAMES[axis]), ranges[axis], figures[axis]),
      );
    group.append(where, relation);
    scope.listen(group, "focusin", () => this.#state.choose(token));
    scope.listen(where, "click", () => {
      relation.textContent = describeRelations(token, this.#state.crosses);
      announcer.say(relation.textContent);
    });
    this.#rows.set(token, { group, ranges, figures, relation });
    return make("li", {}, group);
  }

  #range(scope: Scope, token: Token, axis: Axis): HTMLInputElement {
    const name = fill(axis === "tc" ? gettext("TC of summary {n}") : gettext("SD of summary {n}"), {
      n: numberOf(token),
    });
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
