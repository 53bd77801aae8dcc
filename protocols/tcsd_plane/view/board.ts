// Board: the plane with its tray, commands and list: one state, drawn by every part after each change.
import { make } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Keys } from "../../../frontend/src/trial/keys.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import { KeyboardInput, PointerInput } from "./boardInput.ts";
import { Announcer, Bar, Drawing, Ranges, Tray } from "./boardParts.ts";
import { BoardState, type MoveFacts, type News, recallTrail, rememberTrail } from "./boardState.ts";
import type { Board, BoardOptions, Crosses, Move, ShownCross, Token } from "./contract.ts";
import { numberOf } from "./crosses.ts";

type Example = Readonly<Record<Token, ShownCross>>;

export function crossesOf(shown: Example): Crosses {
  return Object.fromEntries(Object.entries(shown).map(([token, { tc, sd }]) => [token, { tc, sd, decided: true }]));
}

/** 30250 is 8:24:10: the time in the file, for a page that knows no clock. */
export function fileTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part, index) => (index ? String(part).padStart(2, "0") : String(part))).join(":");
}

/** Tour of the example: crosses that cannot be moved, the reason for each, and the sounds that it speaks of. */
class ExampleTour {
  readonly element: HTMLElement;
  readonly #state: BoardState;
  readonly #options: BoardOptions;
  readonly #shown: Example;
  readonly #outer: Scope;
  #inner = new Scope(); // of the buttons that are shown now
  #told: Token | null = null;

  constructor(scope: Scope, state: BoardState, options: BoardOptions, shown: Example) {
    this.#outer = scope;
    this.#state = state;
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
      this.element.replaceChildren(
        make(
          "p",
          { class: "muted" },
          gettext("Choose a cross to read why it stands there, and to hear what that means."),
        ),
      );
      return;
    }
    const n = numberOf(token);
    const summary = this.#sound(fill(gettext("Play summary {n}"), { n }), () => this.#options.play(token));
    const { hear } = this.#options;
    const stretches = hear ? cross.hears.map((range) => this.#sound(this.#nameOf(range), () => hear(range))) : [];
    this.element.replaceChildren(
      make("h3", {}, fill(gettext("Why {n} stands there"), { n })),
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
    return fill(gettext("Full recording, {time}"), { time: name });
  }
}

/** Mount it at the end of `root`. */
export function mountBoard(root: HTMLElement, options: BoardOptions, keys: Keys, scope: Scope): Board {
  const board = new MountedBoard(options, keys, scope);
  root.append(board.element);
  scope.own(() => board.element.remove());
  board.draw();
  return board;
}

interface Part {
  element: HTMLElement;
  draw(): void;
}

class MountedBoard implements Board {
  readonly element: HTMLElement;
  readonly #options: BoardOptions;
  readonly #state: BoardState;
  readonly #surface: HTMLElement;
  readonly #drawing: Drawing;
  readonly #announcer: Announcer;
  readonly #tray: Tray;
  readonly #parts: Part[];
  #pointer: PointerInput | null = null;
  #ranges: Ranges | null = null;

  constructor(options: BoardOptions, keys: Keys, scope: Scope) {
    const { tokens, crosses, shown } = options;
    this.#options = options;
    const { alone = false, heard = () => true } = options;
    this.#state = new BoardState(tokens, shown ? crossesOf(shown) : crosses, () => this.#facts(), alone);
    this.#surface = this.#makeSurface();
    this.#drawing = new Drawing(this.#surface, this.#state);
    this.#announcer = new Announcer(this.#state, heard);
    this.#tray = new Tray(scope, this.#state, options.play, heard);
    this.#parts = shown ? [this.#tray, ...this.#readOnly(scope, shown)] : [this.#tray, ...this.#movable(scope)];
    const { hint, live } = this.#announcer;
    const parts = this.#parts.map(({ element }) => element);
    this.element = make("div", { class: "board" }, this.#surface);
    const [tray, ...rest] = parts;
    const side = make("div", { class: "board__side" }, ...(tray ? [tray] : []), ...(shown ? [] : rest.slice(0, 1)));
    this.element.append(side, ...(shown ? rest : [hint, ...rest.slice(1)]), live);
    this.#listen(scope, keys);
  }

  get crosses(): Crosses {
    return this.#state.crosses;
  }

  get selected(): Token | null {
    return this.#state.selected;
  }

  select(token: Token | null): void {
    this.#state.choose(token, false);
  }

  focus(): void {
    this.#ranges?.close();
    this.#reveal();
    this.#surface.focus();
  }

  takeMoves(): Move[] {
    return this.#state.takeMoves();
  }

  decideAll(): void {
    this.#reveal();
    this.#state.decideAll();
  }

  draw(): void {
    this.#drawing.draw();
    this.#announcer.draw();
    for (const part of this.#parts) part.draw();
  }

  /** Moves keep how large the plane was, so it is measured once it can be seen. */
  #reveal(): void {
    this.#options.reveal?.();
    this.draw();
  }

  #facts(): MoveFacts {
    const plane_px = Math.round(this.#drawing.frame.side);
    return { plane_px, numbers: this.#ranges?.seen ?? false, at_ms: Math.round(performance.now()) };
  }

  /** It takes arrow keys by itself, which a screen reader hands on to an application only. */
  #makeSurface(): HTMLElement {
    return make("div", {
      class: "board__plane",
      dir: "ltr", // TC grows to the right in every language
      tabindex: "0",
      role: "application",
      "aria-label": gettext("Plane of temporal consistency (TC) and source diversity (SD)"),
      "aria-roledescription": gettext("plane"),
      "aria-description": this.#options.shown
        ? gettext("Digits choose a summary and tell why its cross stands where it does.")
        : gettext(
            "Digits choose a summary. Arrow keys move its cross, Enter places it and then decides it, Backspace removes it. I tells where it lies among the others.",
          ),
    });
  }

  #movable(scope: Scope): Part[] {
    const { memory } = this.#options;
    const trail = memory === undefined ? null : recallTrail(memory);
    if (trail) this.#state.resume(trail);
    this.#pointer = new PointerInput(scope, this.#surface, this.#drawing, this.#state);
    for (const [token, element] of this.#tray.tokens) this.#pointer.addSource(scope, element, token);
    this.#ranges = new Ranges(scope, this.#state, this.#announcer);
    return [new Bar(scope, this.#state, this.#announcer), this.#ranges];
  }

  #readOnly(scope: Scope, shown: NonNullable<BoardOptions["shown"]>): Part[] {
    scope.listen<MouseEvent>(this.#surface, "click", ({ clientX, clientY }) => {
      const { left, top } = this.#surface.getBoundingClientRect();
      const hit = this.#drawing.hit({ x: clientX - left, y: clientY - top });
      if (hit) this.#state.choose(hit);
    });
    return [new ExampleTour(scope, this.#state, this.#options, shown)];
  }

  #listen(scope: Scope, keys: Keys): void {
    const touched = (hand: "pointer" | "keys") => () => {
      this.#state.lastInput = hand;
      this.element.setAttribute("data-hand", hand);
    };
    scope.listen(document, "pointerdown", touched("pointer"));
    scope.listen(this.element, "keydown", touched("keys"));
    scope.listen(document, "keydown", touched("keys"));
    const observer = new ResizeObserver(() => this.draw());
    observer.observe(this.#surface);
    scope.observe(observer);
    this.#state.onNews((news) => this.#hear(news));
    const letGo = () => this.#pointer?.letGo() ?? false;
    const fixed = this.#options.shown !== undefined;
    new KeyboardInput(scope, {
      surface: this.#surface,
      state: this.#state,
      announcer: this.#announcer,
      keys,
      fixed,
      letGo,
      reveal: () => this.#reveal(),
      goToPlane: () => this.focus(),
    });
  }

  #hear(news: News): void {
    const { memory, changed } = this.#options;
    if (this.#state.carried) this.#ranges?.close(); // pulled out of the tray, it is put down on a plane that is seen
    this.draw();
    this.#announcer.tell(news);
    if (news.what === "moved" && memory !== undefined) rememberTrail(memory, this.#state.trail);
    if (news.what === "moved" || (news.what === "chosen" && news.byHand)) changed();
  }
}
