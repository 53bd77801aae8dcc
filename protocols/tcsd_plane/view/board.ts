// The plane with its tray, commands and list: one state, drawn by every part after each change.
import { make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Keys } from "../../../frontend/src/trial/keys.ts";
import { Bar } from "./boardbar.ts";
import { Drawing } from "./boarddrawing.ts";
import { KeyboardHand } from "./boardkeyboard.ts";
import { PointerHand } from "./boardpointer.ts";
import { BoardState, type News } from "./boardstate.ts";
import { type BoardTexts, readTexts } from "./boardtexts.ts";
import { Tray } from "./boardtray.ts";
import { Voice } from "./boardvoice.ts";
import type { Board, BoardOptions, Crosses, Move, Token } from "./contract.ts";
import type { Facts } from "./history.ts";
import { recall, remember } from "./history-memory.ts";
import { Ranges } from "./ranges.ts";
import { crossesOf, Tour } from "./tour.ts";

/** Mount it beside the texts that the template put into `root`. */
export function mountBoard(root: HTMLElement, options: BoardOptions, keys: Keys, scope: Scope): Board {
  const board = new MountedBoard(readTexts(root), options, keys, scope);
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
  readonly #texts: BoardTexts;
  readonly #state: BoardState;
  readonly #surface: HTMLElement;
  readonly #drawing: Drawing;
  readonly #voice: Voice;
  readonly #tray: Tray;
  readonly #parts: Part[];
  #pointer: PointerHand | null = null;
  #ranges: Ranges | null = null;

  constructor(texts: BoardTexts, options: BoardOptions, keys: Keys, scope: Scope) {
    const { tokens, crosses, shown } = options;
    this.#options = options;
    this.#texts = texts;
    this.#state = new BoardState(tokens, shown ? crossesOf(shown) : crosses, () => this.#facts());
    this.#surface = this.#makeSurface();
    this.#drawing = new Drawing(this.#surface, this.#state);
    this.#voice = new Voice(this.#state, texts);
    this.#tray = new Tray(scope, this.#state, texts, options.play);
    this.#parts = shown ? [this.#tray, ...this.#readOnly(scope, shown)] : [this.#tray, ...this.#movable(scope)];
    const { hint, live } = this.#voice;
    const parts = this.#parts.map(({ element }) => element);
    this.element = make("section", { class: "board", "aria-label": texts.board }, this.#surface);
    this.element.append(...(shown ? [] : [hint]), ...parts, live);
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

  takeMoves(): Move[] {
    return this.#state.takeMoves();
  }

  decideAll(): void {
    this.#state.decideAll();
  }

  draw(): void {
    this.#drawing.draw();
    this.#voice.draw();
    for (const part of this.#parts) part.draw();
  }

  #facts(): Facts {
    const plane_px = Math.round(this.#drawing.frame.side);
    return { plane_px, numbers: this.#ranges?.seen ?? false, at_ms: Math.round(performance.now()) };
  }

  /** It takes arrow keys by itself, which a screen reader hands on to an application only. */
  #makeSurface(): HTMLElement {
    const { board, board_role, board_hint, shown_hint } = this.#texts;
    return make("div", {
      class: "board__plane",
      dir: "ltr", // TC grows to the right in every language
      tabindex: "0",
      role: "application",
      "aria-label": board,
      "aria-roledescription": board_role,
      "aria-description": this.#options.shown ? shown_hint : board_hint,
    });
  }

  #movable(scope: Scope): Part[] {
    const { memory } = this.#options;
    const trail = memory === undefined ? null : recall(memory);
    if (trail) this.#state.resume(trail);
    this.#pointer = new PointerHand(scope, this.#surface, this.#drawing, this.#state);
    for (const [token, element] of this.#tray.tokens) this.#pointer.addSource(scope, element, token);
    this.#ranges = new Ranges(scope, this.#state, this.#texts, this.#voice);
    return [new Bar(scope, this.#state, this.#texts), this.#ranges];
  }

  #readOnly(scope: Scope, shown: NonNullable<BoardOptions["shown"]>): Part[] {
    scope.listen<MouseEvent>(this.#surface, "click", ({ clientX, clientY }) => {
      const { left, top } = this.#surface.getBoundingClientRect();
      const hit = this.#drawing.hit({ x: clientX - left, y: clientY - top });
      if (hit) this.#state.choose(hit);
    });
    return [new Tour(scope, this.#state, this.#texts, this.#options, shown)];
  }

  #listen(scope: Scope, keys: Keys): void {
    const touched = (hand: "pointer" | "keys") => () => {
      this.#state.hand = hand;
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
    new KeyboardHand(scope, { surface: this.#surface, state: this.#state, voice: this.#voice, keys, fixed, letGo });
  }

  #hear(news: News): void {
    const { memory, changed } = this.#options;
    this.draw();
    this.#voice.tell(news);
    if (news.what === "moved" && memory !== undefined) remember(memory, this.#state.trail);
    if (news.what === "moved" || (news.what === "chosen" && news.byHand)) changed();
  }
}
