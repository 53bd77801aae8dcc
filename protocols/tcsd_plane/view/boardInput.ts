// Keyboard and pointer input of the plane.

import { gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { digitOf, type Keys, placeOf } from "../../../frontend/src/trial/keys.ts";
import type { Stroke } from "../../../frontend/src/viewer/controls.ts";
import { undoKey } from "../../../frontend/src/workspace/history.ts";
import type { Announcer, Drawing } from "./boardParts.ts";
import type { BoardState } from "./boardState.ts";
import type { Place, Token } from "./contract.ts";
import { type Axis, numberOf } from "./crosses.ts";
import { alongAxis, distance, type Point, placeAt, pointOf } from "./geometry.ts";

type Command =
  | { do: "nudge"; axis: Axis; by: number }
  | { do: "ask"; axis: Axis }
  | { do: "settle" }
  | { do: "lift" }
  | { do: "relate" };

const STEP = 0.01;
const STRIDE = 0.05; // with Shift
const LEAP = 0.1;
const WHOLE = 1; // from any place as far as it goes

const NUDGES: Record<string, [Axis, number, number]> = {
  ArrowLeft: ["tc", -STEP, -STRIDE],
  ArrowRight: ["tc", STEP, STRIDE],
  ArrowDown: ["sd", -STEP, -STRIDE],
  ArrowUp: ["sd", STEP, STRIDE],
  PageDown: ["sd", -LEAP, -LEAP],
  PageUp: ["sd", LEAP, LEAP],
  Home: ["tc", -WHOLE, -WHOLE],
  End: ["tc", WHOLE, WHOLE],
};
const NAMED: Record<string, Command> = {
  Enter: { do: "settle" },
  Backspace: { do: "lift" },
  Delete: { do: "lift" },
};
// Only letters that lie in the same place on QWERTY, QWERTZ and AZERTY (not A Q W Z Y M).
const LETTERS: Record<string, Command> = {
  s: { do: "ask", axis: "sd" },
  t: { do: "ask", axis: "tc" },
  i: { do: "relate" },
};

/** The command of a stroke on the plane, or null. Letters can be switched off (WCAG 2.1.4). */
export function commandFor(stroke: Stroke, letters: boolean): Command | null {
  const { key, shiftKey, repeat } = stroke;
  if (stroke.ctrlKey || stroke.altKey || stroke.metaKey) return null;
  const nudge = NUDGES[key];
  if (nudge) {
    const [axis, step, stride] = nudge;
    return { do: "nudge", axis, by: shiftKey ? stride : step };
  }
  if (repeat) return null;
  return NAMED[key] ?? (letters ? (LETTERS[key.toLowerCase()] ?? null) : null);
}

interface KeyboardParts {
  surface: HTMLElement;
  state: BoardState;
  announcer: Announcer;
  keys: Keys;
  /** An example's crosses are chosen and not moved. */
  fixed: boolean;
  /** Take back what the pointer holds; false when it holds nothing. */
  letGo: () => boolean;
  /** Make sure that the plane can be seen. */
  reveal: () => void;
  goToPlane: () => void;
}

/** The keyboard at the plane: what is pressed on it, and the few keys that reach it from anywhere. */
export class KeyboardInput {
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
    const way = undoKey(event);
    if (!way || placeOf(event.target) === "text" || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    const { state, announcer, reveal } = this.#parts;
    reveal();
    if (way === "undo" && !state.canUndo) announcer.explain(gettext("Nothing to undo"));
    else if (way === "redo" && !state.canRedo) announcer.explain(gettext("Nothing to redo"));
    else state[way]();
  }

  /** Digits choose a summary and G goes to the plane. */
  #shortcut({ code, key }: KeyboardEvent): boolean {
    const token = this.#numbered(code);
    if (token) this.#parts.state.choose(token);
    else if (key.toLowerCase() === "g") this.#parts.goToPlane();
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

  /** Cancel what was begun. The key goes on to the player, which stops the sound, so the choice stays. */
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
    const { state, announcer } = this.#parts;
    const token = state.selected;
    if (token === null) announcer.sayAdvice();
    else if (command.do === "nudge") state.nudge(token, command.axis, command.by, held);
    else if (command.do === "settle") state.settle(token, "keys");
    else if (command.do === "lift") state.lift(token, "keys");
    else if (command.do === "relate") announcer.sayRelations(token);
    else {
      state.ask(command.axis);
      announcer.sayAdvice();
    }
  }
}

/** No other handler gets the key: Page up is an hour elsewhere. */
function takeUp(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

const STILL_PX = 4; // a pointer that moved less than this has not moved anything

/** What the pointer holds, how far from its middle, and whether it has left the place where it was taken. */
interface Grip {
  token: Token;
  from: Point;
  offset: Point;
  moved: boolean;
}

/** The pointer on the plane: a click puts the chosen cross there, a drag moves a cross, or a token out of the tray. */
export class PointerInput {
  readonly #surface: HTMLElement;
  readonly #drawing: Drawing;
  readonly #state: BoardState;
  #grip: Grip | null = null;

  constructor(scope: Scope, surface: HTMLElement, drawing: Drawing, state: BoardState) {
    this.#surface = surface;
    this.#drawing = drawing;
    this.#state = state;
    scope.listen<PointerEvent>(surface, "pointerdown", (event) => this.#press(event));
    scope.listen<PointerEvent>(surface, "pointermove", (event) => this.#move(event));
    scope.listen<PointerEvent>(surface, "pointerup", (event) => this.#release(event));
    scope.listen(surface, "pointercancel", () => this.letGo());
    scope.listen(surface, "pointerleave", () => this.#grip ?? state.drop());
    scope.listen<MouseEvent>(surface, "dblclick", (event) => this.#decide(event));
  }

  /** Let a token be pulled out of its place in the tray. */
  addSource(scope: Scope, element: HTMLElement, token: Token): void {
    scope.listen<PointerEvent>(element, "pointerdown", (event) => {
      if (event.button !== 0) return;
      element.setPointerCapture(event.pointerId);
      this.#grip = { token, from: this.#at(event), offset: { x: 0, y: 0 }, moved: false };
    });
    scope.listen<PointerEvent>(element, "pointermove", (event) => {
      if (!this.#grip) return;
      if (this.#isInside(event)) this.#move(event);
      else this.#state.drop();
    });
    scope.listen<PointerEvent>(element, "pointerup", (event) => {
      if (this.#isInside(event)) this.#release(event);
      else this.letGo();
    });
    scope.listen(element, "pointercancel", () => this.letGo());
  }

  /** Cancel a drag; whether there was one. The cross is then where it was before. */
  letGo(): boolean {
    const held = this.#grip !== null;
    this.#grip = null;
    this.#state.drop();
    return held;
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.#at(event);
    this.#grip = this.#gripAt(at);
    if (!this.#grip) return;
    this.#surface.setPointerCapture(event.pointerId);
    if (this.#grip.moved) this.#carry(this.#grip, event);
  }

  /** What lies in the tray and was chosen goes wherever the click is, also close to another cross. */
  #gripAt(at: Point): Grip | null {
    const { selected, crosses } = this.#state;
    const waits = selected !== null && !crosses[selected];
    const hit = waits ? null : this.#drawing.hit(at);
    const cross = hit && crosses[hit];
    if (cross) {
      this.#state.choose(hit);
      const { x, y } = pointOf(cross, this.#drawing.frame);
      return { token: hit, from: at, offset: { x: x - at.x, y: y - at.y }, moved: false };
    }
    return selected === null ? null : { token: selected, from: at, offset: { x: 0, y: 0 }, moved: true };
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event);
    const grip = this.#grip;
    if (grip) grip.moved ||= distance(grip.from, at) > STILL_PX;
    if (!grip) this.#hover(event, at);
    else if (grip.moved) this.#carry(grip, event);
  }

  /** A dragged token is drawn over the plane before it is put down; a finger covers it anyway. */
  #hover(event: PointerEvent, at: Point): void {
    const { selected, crosses } = this.#state;
    if (event.pointerType !== "mouse" || selected === null || crosses[selected]) return;
    this.#state.carry(selected, placeAt(at, this.#drawing.frame));
  }

  #carry(grip: Grip, event: PointerEvent): void {
    this.#state.carry(grip.token, this.#placeOf(grip, event));
  }

  /** With Shift a cross moves along one axis from where it stands. */
  #placeOf({ token, offset }: Grip, event: PointerEvent): Place {
    const { x, y } = this.#at(event);
    const place = placeAt({ x: x + offset.x, y: y + offset.y }, this.#drawing.frame);
    const cross = this.#state.crosses[token];
    return event.shiftKey && cross ? alongAxis(cross, place) : place;
  }

  #release(event: PointerEvent): void {
    const grip = this.#grip;
    this.#grip = null;
    if (!grip?.moved) return;
    this.#state.choose(grip.token);
    this.#surface.focus({ preventScroll: true }); // arrows and Enter go on with it
    this.#state.put(grip.token, this.#placeOf(grip, event), "pointer");
  }

  #decide(event: MouseEvent): void {
    const token = this.#drawing.hit(this.#at(event));
    if (token && this.#state.crosses[token]) this.#state.settle(token, "pointer");
  }

  #at({ clientX, clientY }: MouseEvent): Point {
    const { left, top } = this.#surface.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #isInside(event: MouseEvent): boolean {
    const { x, y } = this.#at(event);
    const { size } = this.#drawing.frame;
    return x >= 0 && y >= 0 && x <= size && y <= size;
  }
}
