// The pointer on the plane: a click puts the chosen cross there, a drag takes along what it began on, a token can be pulled out of the tray.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Drawing } from "./boarddrawing.ts";
import type { BoardState } from "./boardstate.ts";
import type { Place, Token } from "./contract.ts";
import { distance, type Point, placeAt, pointOf } from "./geometry.ts";

const STILL_PX = 4; // a hand that trembles less than this has not moved anything

/** What the pointer holds, how far from its middle, and whether it has left the place where it was taken. */
interface Grip {
  token: Token;
  from: Point;
  offset: Point;
  moved: boolean;
}

export class PointerHand {
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

  /** Whether there was something to let go of; it is then where it was before. */
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
    if (this.#grip.moved) this.#carry(this.#grip, at);
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
    else if (grip.moved) this.#carry(grip, at);
  }

  /** A token in the hand is seen over the plane before it is put down; a finger covers it anyway. */
  #hover(event: PointerEvent, at: Point): void {
    const { selected, crosses } = this.#state;
    if (event.pointerType !== "mouse" || selected === null || crosses[selected]) return;
    this.#state.carry(selected, placeAt(at, this.#drawing.frame));
  }

  #carry(grip: Grip, at: Point): void {
    this.#state.carry(grip.token, this.#placeOf(grip, at));
  }

  #placeOf({ offset }: Grip, at: Point): Place {
    return placeAt({ x: at.x + offset.x, y: at.y + offset.y }, this.#drawing.frame);
  }

  #release(event: PointerEvent): void {
    const grip = this.#grip;
    this.#grip = null;
    if (!grip?.moved) return;
    this.#state.choose(grip.token);
    this.#surface.focus({ preventScroll: true }); // arrows and Enter go on with it
    this.#state.put(grip.token, this.#placeOf(grip, this.#at(event)), "pointer");
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
