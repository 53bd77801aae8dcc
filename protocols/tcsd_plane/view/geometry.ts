// Geometry of the plane: shares of the maximum, which are kept, pixels of the page, and places of labels. Pure.
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

/** Along the axis of the larger movement only. */
export function alongAxis(from: Place, to: Place): Place {
  const right = Math.abs(to.tc - from.tc) >= Math.abs(to.sd - from.sd);
  return right ? { tc: to.tc, sd: from.sd } : { tc: from.tc, sd: to.sd };
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

/** The middle of a number; a far one is tied to its cross by a thin line. */
export interface Label extends Point {
  far: boolean;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const ARM = 7.5; // of a cross, from its middle
export const THICK = 2; // half of an arm's width
const HALF_WIDE = 5; // of a digit
const HALF_HIGH = 6;

const NEAR = 10; // a digit fits exactly between the arms of crosses that are 20 px apart
const BESIDE = 16;
const FAR = [24, 36]; // where there is no room close by
const DIAGONAL: readonly Point[] = [
  { x: 1, y: -1 },
  { x: -1, y: -1 },
  { x: 1, y: 1 },
  { x: -1, y: 1 },
];
const STRAIGHT: readonly Point[] = [
  { x: 0, y: -1 },
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: 1 },
];
// Best first: above right, the other corners, the sides, and then the same further out.
const PLACES: readonly Label[] = [
  ...ring(DIAGONAL, NEAR, false),
  ...ring(STRAIGHT, BESIDE, false),
  ...FAR.flatMap((away) => [...ring(DIAGONAL, away, true), ...ring(STRAIGHT, 1.5 * away, true)]),
];

const OUTSIDE = 10_000;
const COVERING = 100; // any place that is free is better, however far
const PASSES = 8; // it settles after two or three

/** Each number takes the best place that the others leave, again and again until none wants to move. */
export function placeLabels(points: readonly Point[], size: number): Label[] {
  const chosen = points.map(() => 0);
  for (let pass = 0; pass < PASSES; pass += 1) {
    let moved = false;
    for (const index of points.keys()) {
      const best = bestPlace(index, points, chosen, size);
      moved ||= best !== chosen[index];
      chosen[index] = best;
    }
    if (!moved) break;
  }
  return points.map((point, index) => labelAt(point, chosen[index] ?? 0));
}

function ring(directions: readonly Point[], away: number, far: boolean): Label[] {
  return directions.map(({ x, y }) => ({ x: x * away, y: y * away, far }));
}

function labelAt(point: Point, place: number): Label {
  const { x, y, far } = PLACES[place] as Label;
  return { x: point.x + x, y: point.y + y, far };
}

function bestPlace(index: number, points: readonly Point[], chosen: readonly number[], size: number): number {
  const own = points[index] as Point;
  const taken = points.flatMap((point, other) => [
    ...armsOf(point),
    ...(other === index ? [] : [boxOf(labelAt(point, chosen[other] ?? 0))]),
  ]);
  const costs = PLACES.map((_, place) => {
    const box = boxOf(labelAt(own, place));
    const covered = taken.reduce((sum, each) => sum + overlap(box, each), 0);
    return place + (isInside(box, size) ? 0 : OUTSIDE) + (covered && COVERING + covered);
  });
  return costs.indexOf(Math.min(...costs));
}

export function boxOf({ x, y }: Point): Box {
  return { left: x - HALF_WIDE, right: x + HALF_WIDE, top: y - HALF_HIGH, bottom: y + HALF_HIGH };
}

export function armsOf({ x, y }: Point): Box[] {
  return [
    { left: x - ARM, right: x + ARM, top: y - THICK, bottom: y + THICK },
    { left: x - THICK, right: x + THICK, top: y - ARM, bottom: y + ARM },
  ];
}

export function overlap(one: Box, other: Box): number {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(wide, 0) * Math.max(high, 0);
}

function isInside({ left, right, top, bottom }: Box, size: number): boolean {
  return left >= 0 && top >= 0 && right <= size && bottom <= size;
}
