// Geometry of a scanned plane: from clicks on its corners and crosses to coordinates. Pure.

/** In pixels of the picture, y downwards; or on the square, from 0 to 1, y upwards. */
export interface Point {
  x: number;
  y: number;
}

/** The corners of the frame: origin, the end of the first axis, both ends, the end of the second axis. */
export type Corners = readonly [Point, Point, Point, Point];

type Straighten = (point: Point) => Point;

const FLATTEST = 1e-3; // of a corner: the sine of its angle

/** How a point of the picture lies on the square, or null where the four points are no frame seen from its front.
 *
 * A projective map has eight unknowns and four corners give eight equations (Heckbert 1989, section 2.2.3): first the map
 * from the square to the picture in closed form, then its inverse.
 */
export function straighten(corners: Corners): Straighten | null {
  if (!isFrame(corners)) return null;
  const [origin, first, both, second] = corners;
  const bend = { x: origin.x - first.x + both.x - second.x, y: origin.y - first.y + both.y - second.y };
  const [along, up] = [between(both, first), between(both, second)];
  const size = cross(along, up);
  const [g, h] = [cross(bend, up) / size, cross(along, bend) / size];
  const [a, d] = [first.x - origin.x + g * first.x, first.y - origin.y + g * first.y];
  const [b, e] = [second.x - origin.x + h * second.x, second.y - origin.y + h * second.y];
  const [c, f] = [origin.x, origin.y];
  return ({ x, y }) => {
    // The adjugate of [[a, b, c], [d, e, f], [g, h, 1]], applied to (x, y, 1); its scale cancels out.
    const w = (d * h - e * g) * x + (b * g - a * h) * y + (a * e - b * d);
    return {
      x: ((e - f * h) * x + (c * h - b) * y + (b * f - c * e)) / w,
      y: ((f * g - d) * x + (a - c * g) * y + (c * d - a * f)) / w,
    };
  };
}

/** Convex, with no corner flat, and not seen from behind: a scan may lie on its side, and is never a mirror image. */
function isFrame(corners: Corners): boolean {
  return corners.every((corner, index) => {
    const next = between(corner, corners[(index + 1) % 4] as Point);
    const last = between(corner, corners[(index + 3) % 4] as Point);
    return cross(next, last) < -FLATTEST * Math.hypot(next.x, next.y) * Math.hypot(last.x, last.y);
  });
}

function between(from: Point, to: Point): Point {
  return { x: to.x - from.x, y: to.y - from.y };
}

function cross(one: Point, other: Point): number {
  return one.x * other.y - one.y * other.x;
}

const CORNERS = 4;
/** A cross on the very edge is easily clicked a little outside. */
const BEYOND = 0.03;

export type Outcome = "taken" | "crooked" | "outside" | "done";

/** What the next click is taken for. */
type Next = { corner: number } | { slot: string } | null;

/** Clicks on a scan: four corners first, then a cross each; any step can be undone. */
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
