// From a photographed frame to the unit square, whatever angle the picture was taken from.

/** In pixels of the picture, y downwards; or on the square, from 0 to 1, y upwards. */
export interface Point {
  x: number;
  y: number;
}

/** The corners of the frame: origin, the end of the first axis, both ends, the end of the second axis. */
export type Corners = readonly [Point, Point, Point, Point];

export type Straighten = (point: Point) => Point;

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
