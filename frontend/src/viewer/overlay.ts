// What lies over the pictures and moves without a redraw: cursor, pointer line, selection, and the window of the overview.
import type { Range } from "./contract.ts";
import { rangeOf, type View, wholeView, xOf } from "./geometry.ts";
import type { Parts } from "./parts.ts";
import type { ViewerState } from "./state.ts";
import { screenRatio } from "./surface.ts";

const NARROWEST_WINDOW = 6;

/** Onto whole device pixels, so that a line is a line. */
const snap = (x: number) => Math.round(x * screenRatio()) / screenRatio();

function stand(element: HTMLElement, x: number, width: number): void {
  const visible = x >= -1 && x <= width + 1;
  element.hidden = !visible;
  if (visible) element.style.setProperty("transform", `translateX(${snap(x)}px)`);
}

/** Lay an element over a range; out of view it is not there. */
export function cover(element: HTMLElement, view: View, range: Range | null): void {
  const left = range ? xOf(view, range.start) : 0;
  const right = range ? xOf(view, range.stop) : 0;
  element.hidden = !range || right < 0 || left > view.width;
  if (element.hidden) return;
  // A selection of a second in a view of a day is still seen.
  const from = snap(Math.max(left, -8));
  const to = snap(Math.min(right, view.width + 8));
  element.style.setProperty("transform", `translateX(${from}px)`);
  element.style.setProperty("width", `${Math.max(to - from, 1)}px`);
}

/** In the view, and in the strip with the whole recording. */
export function placeCursor(parts: Parts, state: ViewerState): void {
  const width = parts.minimap.clientWidth;
  stand(parts.cursor, xOf(state.view, state.position), state.view.width);
  stand(parts.here, xOf(wholeView(width, state.bounds), state.position), width);
}

export function placeHover(parts: Parts, state: ViewerState): void {
  const { pointer, view } = state;
  stand(parts.hover, pointer ? pointer.x : -99, view.width);
}

export function placeSelection(parts: Parts, state: ViewerState): void {
  cover(parts.selection, state.view, state.selection);
}

export function placeWindow(parts: Parts, state: ViewerState, width: number): void {
  const whole = wholeView(width, state.bounds);
  const { start, stop } = rangeOf(state.view);
  const left = xOf(whole, start);
  const right = xOf(whole, stop);
  const missing = Math.max(NARROWEST_WINDOW - (right - left), 0);
  const from = Math.min(Math.max(left - missing / 2, 0), Math.max(width - NARROWEST_WINDOW, 0));
  parts.window.style.setProperty("transform", `translateX(${snap(from)}px)`);
  parts.window.style.setProperty("width", `${Math.max(right - left, NARROWEST_WINDOW)}px`);
}
