// Draws the plane: axes with arrows past the maximum, dashed lines at both maxima, crosses with their numbers, nothing else.
import type { BoardState } from "./boardstate.ts";
import type { Cross, Place, Token } from "./contract.ts";
import { numberOf, standingOf } from "./crosses.ts";
import { type Frame, frameOf, MARGIN, nearest, type Point, pointOf } from "./geometry.ts";
import { ARM, boxOf, type Label, placeLabels, THICK } from "./labels.ts";

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
    const { selected, carried, crosses } = this.#state;
    const shown: [Token, Place & Partial<Cross>][] = Object.entries(crosses).filter(
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
    if (size === this.#frame.size) return;
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
    const state = carried?.token === token ? "carried" : standingOf(crosses[token]);
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
