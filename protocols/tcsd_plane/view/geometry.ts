// Where things lie on the plane: as shares of the maximum, which are kept, and in the page's pixels, which are not.
import type { Place, Token } from "./contract.ts";

export interface Point {
  x: number;
  y: number;
}

/** The drawing's outer size, and the square between the origin and the two dashed lines. */
export interface Frame {
  size: number;
  side: number;
  left: number;
  top: number;
}

/** Room for the arrows, which run past the maximum, and for the names of the axes. */
export const MARGIN = { before: 22, after: 46 };
const LEAST_SIDE = 1;

const DECIMALS = 10_000; // four, as the server keeps them

export const CENTRE: Place = { tc: 0.5, sd: 0.5 };

export function frameOf(size: number): Frame {
  const side = Math.max(size - MARGIN.before - MARGIN.after, LEAST_SIDE);
  return { size, side, left: MARGIN.before, top: MARGIN.after };
}

/** Outside the dashed lines nothing is accepted: it sticks to the maximum, which is a legal answer, or to zero. */
function share(value: number): number {
  return Math.round(Math.min(Math.max(value, 0), 1) * DECIMALS) / DECIMALS;
}

export function placeOf(tc: number, sd: number): Place {
  return { tc: share(tc), sd: share(sd) };
}

export function placeAt({ x, y }: Point, { side, left, top }: Frame): Place {
  return placeOf((x - left) / side, (top + side - y) / side);
}

export function pointOf({ tc, sd }: Place, { side, left, top }: Frame): Point {
  return { x: left + tc * side, y: top + (1 - sd) * side };
}

export function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

/** The nearest within reach. Of two that lie on each other the preferred one is meant, else the one drawn on top. */
export function nearest(
  points: ReadonlyMap<Token, Point>,
  at: Point,
  reach: number,
  preferred: Token | null,
): Token | null {
  let found: Token | null = null;
  let least = reach;
  for (const [token, point] of points) {
    const away = distance(point, at);
    const better = away < least || (away === least && found !== preferred);
    if (away > least || !better) continue;
    found = token;
    least = away;
  }
  return found;
}
