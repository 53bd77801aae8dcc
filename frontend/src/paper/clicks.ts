// Which click means what: four corners first, then a cross each; any step can be taken back.
import { type Corners, type Point, type Straighten, straighten } from "./homography.ts";

export const CORNERS = 4;
/** A cross on the very edge is easily clicked a little outside. */
export const BEYOND = 0.03;

export type Outcome = "taken" | "crooked" | "outside" | "done";

/** What the next click is taken for. */
export type Next = { corner: number } | { slot: string } | null;

export class Clicks {
  readonly #slots: readonly string[];
  #corners: Point[] = [];
  #square: Straighten | null = null;
  #read: { slot: string; at: Point }[] = [];
  #chosen: string | null = null;

  constructor(slots: readonly string[]) {
    this.#slots = slots;
  }

  get corners(): readonly Point[] {
    return this.#corners;
  }

  /** Where each cross was clicked, in pixels of the picture. */
  get crosses(): readonly { slot: string; at: Point }[] {
    return this.#read;
  }

  get next(): Next {
    if (!this.#square) return { corner: this.#corners.length };
    const slot = this.#chosen ?? this.#slots.find((each) => !this.#read.some((cross) => cross.slot === each));
    return slot === undefined ? null : { slot };
  }

  /** The next click is about this one, whether it was clicked before or not. */
  choose(slot: string | null): void {
    this.#chosen = slot;
  }

  click(at: Point): Outcome {
    const next = this.next;
    if (next === null) return "done";
    if ("corner" in next) return this.#corner(at);
    if (!this.place(at)) return "outside";
    this.#read = [...this.#read.filter(({ slot }) => slot !== next.slot), { slot: next.slot, at }];
    this.#chosen = null;
    return "taken";
  }

  /** Where a point of the picture lies on the square, to its edge; null before the frame is known, and far outside. */
  place(at: Point): Point | null {
    const on = this.#square?.(at);
    if (!on) return null;
    const inside = (value: number) => value >= -BEYOND && value <= 1 + BEYOND;
    const kept = (value: number) => Math.min(Math.max(value, 0), 1);
    return inside(on.x) && inside(on.y) ? { x: kept(on.x), y: kept(on.y) } : null;
  }

  /** Undo the last click; the slot whose place is gone, if it was a cross. */
  back(): string | null {
    this.#chosen = null;
    const last = this.#read.at(-1);
    if (last) {
      this.#read = this.#read.slice(0, -1);
      return last.slot;
    }
    this.#corners = this.#corners.slice(0, -1);
    this.#square = null;
    return null;
  }

  /** Begin again with the corners. */
  restart(): void {
    this.#corners = [];
    this.#read = [];
    this.#square = null;
    this.#chosen = null;
  }

  #corner(at: Point): Outcome {
    this.#corners = [...this.#corners, at];
    if (this.#corners.length < CORNERS) return "taken";
    this.#square = straighten(this.#corners as unknown as Corners);
    if (this.#square) return "taken";
    this.restart();
    return "crooked";
  }
}
