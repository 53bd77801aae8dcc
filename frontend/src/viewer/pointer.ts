// Pointer input on the pictures: drag to move, drag the ruler (or with Shift) to select, wheel and two fingers to zoom.
import type { Scope } from "../lib/scope.ts";
import type { Parts } from "./dom.ts";
import { clampView, pan, pinch, sampleAt, span, type View, wholeView, xOf, zoomAround } from "./geometry.ts";
import type { Playback } from "./playback.ts";
import type { ViewerState } from "./state.ts";

const SLACK = 4; // pixels that a press may move and still be a click
const DOUBLE_MS = 400;
const DOUBLE_SLACK = 12;
const LINE_PX = 16;
const WHEEL_PER_OCTAVE = 240;
const PINCH_PER_OCTAVE = 70; // a touchpad's pinch comes as small wheel steps with Ctrl

/** How much a wheel event zooms and moves: one or the other. Pure. */
export function readWheel(event: {
  deltaX: number;
  deltaY: number;
  deltaMode: number;
  ctrlKey: boolean;
  shiftKey: boolean;
}): { factor: number; pixels: number } {
  const unit = event.deltaMode === 0 ? 1 : event.deltaMode === 1 ? LINE_PX : LINE_PX * 20;
  const [x, y] = [event.deltaX * unit, event.deltaY * unit];
  if (event.ctrlKey) return { factor: 2 ** (-y / PINCH_PER_OCTAVE), pixels: 0 };
  if (event.shiftKey) return { factor: 1, pixels: x || y };
  if (Math.abs(x) > Math.abs(y)) return { factor: 1, pixels: x };
  return { factor: 2 ** (-y / WHEEL_PER_OCTAVE), pixels: 0 };
}

interface Drag {
  mode: "pan" | "select";
  x: number;
  view: View;
  /** The end of the selection that stays, and how far from the other one it was gripped. */
  anchor: number;
  grip: number;
  moved: boolean;
  shift: boolean;
}

/** The sample that was clicked: in the picture, or in the strip with the whole recording. */
type PointerActs = (type: "pick" | "jump", sample: number) => void;

export class PointerInput {
  readonly #parts: Parts;
  readonly #state: ViewerState;
  readonly #playback: Playback;
  readonly #down = new Map<number, number>();
  #drag: Drag | null = null;
  #pinch: { view: View; from: [number, number] } | null = null;
  readonly #tell: PointerActs;
  #lastClick = { at: 0, x: 0 };

  constructor(scope: Scope, parts: Parts, state: ViewerState, playback: Playback, tell: PointerActs) {
    this.#parts = parts;
    this.#state = state;
    this.#playback = playback;
    this.#tell = tell;
    const { field } = parts;
    scope.listen<PointerEvent>(field, "pointerdown", (event) => this.#press(event));
    scope.listen<PointerEvent>(field, "pointermove", (event) => this.#move(event));
    scope.listen<PointerEvent>(field, "pointerup", (event) => this.#lift(event, true));
    scope.listen<PointerEvent>(field, "pointercancel", (event) => this.#lift(event, false));
    scope.listen<PointerEvent>(field, "pointerleave", () => state.setPointer(null));
    scope.listen<WheelEvent>(field, "wheel", (event) => this.#wheel(event));
    new Strip(scope, parts, state, (sample) => tell("jump", sample));
  }

  #x(event: MouseEvent): number {
    const { field } = this.#parts;
    return event.clientX - field.getBoundingClientRect().left - field.clientLeft; // the picture begins inside the border
  }

  #sample(x: number): number {
    return sampleAt(this.#state.view, x, this.#state.length);
  }

  #press(event: PointerEvent): void {
    if (event.button > 1 || (event.target as Element).closest(".viewer__marker, .viewer__region")) return;
    const x = this.#x(event);
    this.#playback.warm();
    this.#parts.field.setPointerCapture(event.pointerId);
    this.#down.set(event.pointerId, x);
    const [one, other] = [...this.#down.values()];
    if (one !== undefined && other !== undefined) {
      this.#drag = null;
      this.#pinch = { view: this.#state.view, from: [one, other] };
      return;
    }
    const edge = this.#edge(event.target as Element);
    const selects = edge !== null || event.shiftKey || this.#parts.ruler.contains(event.target as Node);
    this.#drag = {
      mode: selects && event.button === 0 ? "select" : "pan",
      x,
      view: this.#state.view,
      anchor: edge?.anchor ?? this.#sample(x),
      grip: edge ? xOf(this.#state.view, edge.moving) - x : 0,
      moved: edge !== null,
      shift: event.shiftKey,
    };
  }

  /** Dragging one edge of the selection leaves the other where it is. */
  #edge(target: Element): { anchor: number; moving: number } | null {
    const { selection } = this.#state;
    if (!selection || !target.matches(".viewer__edge")) return null;
    const { start, stop } = selection;
    return target.matches(".viewer__edge--start") ? { anchor: stop, moving: start } : { anchor: start, moving: stop };
  }

  #move(event: PointerEvent): void {
    const x = this.#x(event);
    this.#point(event, x);
    if (this.#down.has(event.pointerId)) this.#down.set(event.pointerId, x);
    const [one, other] = [...this.#down.values()];
    if (this.#pinch && one !== undefined && other !== undefined)
      this.#show(pinch(this.#pinch.view, this.#pinch.from, [one, other], this.#state.bounds));
    const drag = this.#drag;
    if (!drag) return;
    drag.moved ||= Math.abs(x - drag.x) > SLACK;
    if (!drag.moved) return;
    this.#parts.field.dataset.hand = drag.mode;
    if (drag.mode === "select") this.#state.select(drag.anchor, this.#sample(x + drag.grip));
    else this.#show(pan(drag.view, drag.x - x, this.#state.bounds));
  }

  #lift(event: PointerEvent, meant: boolean): void {
    this.#down.delete(event.pointerId);
    delete this.#parts.field.dataset.hand;
    const drag = this.#drag;
    this.#drag = null;
    this.#pinch = null;
    if (event.pointerType === "touch") this.#state.setPointer(null);
    if (!drag || !meant || event.button > 0) return;
    if (!drag.moved) this.#click(event, drag);
    else if (drag.mode === "select" && this.#state.selection && !this.#playback.sounding)
      this.#state.setPosition(this.#state.selection.start);
  }

  #click(event: PointerEvent, drag: Drag): void {
    const sample = this.#sample(drag.x);
    const { selection, position } = this.#state;
    if (drag.shift) {
      this.#state.select(position, sample);
      return;
    }
    if (selection && (sample < selection.start || sample >= selection.stop)) this.#state.select(0, 0);
    const again =
      event.timeStamp - this.#lastClick.at < DOUBLE_MS && Math.abs(drag.x - this.#lastClick.x) < DOUBLE_SLACK;
    this.#lastClick = { at: again ? 0 : event.timeStamp, x: drag.x };
    if (again) this.#playback.play(sample);
    else this.#playback.seek(sample);
    this.#tell("pick", sample);
  }

  #point(event: PointerEvent, x: number): void {
    const { top, height } = this.#parts.spectrum.getBoundingClientRect();
    const share = (event.clientY - top) / height;
    this.#state.setPointer({ x, height: share >= 0 && share < 1 ? share : null });
  }

  #wheel(event: WheelEvent): void {
    const { factor, pixels } = readWheel(event);
    const { view, bounds } = this.#state;
    const next = pixels ? pan(view, pixels, bounds) : zoomAround(view, factor, this.#x(event), bounds);
    // Where nothing is left to zoom out of, the wheel belongs to the page; a pinch never does, it would zoom the whole page.
    const changes = next.start !== view.start || next.samplesPerPixel !== view.samplesPerPixel;
    if (changes || event.ctrlKey) event.preventDefault();
    this.#show(next);
  }

  /** A listener who looks elsewhere while it plays is not pulled back. */
  #show(view: View): void {
    this.#state.setView(view);
    const { position, follow, playing } = this.#state;
    const away = position < view.start || position > view.start + span(view);
    if (follow && playing !== "idle" && away) this.#state.setOptions({ follow: false });
  }
}

/** The strip with the whole recording: its window is dragged, or called by a click. */
class Strip {
  #grip: number | null = null;
  #pressed: number | null = null; // where, as long as the pointer has not left that place

  constructor(scope: Scope, parts: Parts, state: ViewerState, called: (sample: number) => void) {
    const { minimap } = parts;
    const at = (event: MouseEvent) => {
      const { left, width } = minimap.getBoundingClientRect();
      return sampleAt(wholeView(width, state.bounds), event.clientX - left, state.length);
    };
    const show = (start: number) => {
      state.setView(clampView({ ...state.view, start }, state.bounds));
      if (state.playing !== "idle") state.setOptions({ follow: false });
    };
    scope.listen<PointerEvent>(minimap, "pointerdown", (event) => {
      if (event.button !== 0) return;
      minimap.setPointerCapture(event.pointerId);
      const sample = at(event);
      const width = span(state.view);
      this.#pressed = event.clientX;
      const inside = sample >= state.view.start && sample <= state.view.start + width;
      this.#grip = inside ? sample - state.view.start : width / 2;
      if (!inside) show(sample - width / 2);
    });
    scope.listen<PointerEvent>(minimap, "pointermove", (event) => {
      if (this.#grip === null) return;
      if (this.#pressed !== null && Math.abs(event.clientX - this.#pressed) > SLACK) this.#pressed = null;
      if (this.#pressed === null) show(at(event) - this.#grip);
    });
    const release = () => {
      this.#grip = null;
    };
    scope.listen<PointerEvent>(minimap, "pointerup", (event) => {
      if (this.#grip !== null && this.#pressed !== null) called(at(event));
      release();
    });
    scope.listen(minimap, "pointercancel", release);
  }
}
