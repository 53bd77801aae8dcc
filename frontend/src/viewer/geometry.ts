// Geometry of the view: between samples and pixels, which part is in view, and how it moves. Pure.
import type { Range } from "./remote.ts";

/** `start` is a whole sample at the left edge, `width` is in CSS pixels. */
export interface View {
  readonly start: number;
  readonly samplesPerPixel: number;
  readonly width: number;
}

/** The recording's length and the narrowest part of it that may fill the view, in samples. */
export interface Bounds {
  readonly length: number;
  readonly narrowest: number;
}

const NARROWEST_S = 5;
// A clip of a few seconds is looked into more closely: an eighth of it, but no closer than the picture is sharp.
const SHORT_S = 40;
const CLOSEST_S = 0.5;

export function boundsOf(length: number, sampleRateHz: number): Bounds {
  const durationS = length / sampleRateHz;
  const closest = durationS >= SHORT_S ? NARROWEST_S : Math.max(durationS / 8, CLOSEST_S);
  return { length, narrowest: Math.min(Math.round(closest * sampleRateHz), length) };
}

export function span(view: View): number {
  return view.samplesPerPixel * view.width;
}

export function rangeOf(view: View): Range {
  return { start: view.start, stop: view.start + span(view) };
}

/** Where a sample stands; outside 0..width when it is out of view. */
export function xOf(view: View, sample: number): number {
  return (sample - view.start) / view.samplesPerPixel;
}

/** The whole sample under a pixel, kept inside the recording. */
export function sampleAt(view: View, x: number, length: number): number {
  return clampSample(view.start + x * view.samplesPerPixel, length);
}

export function clampSample(sample: number, length: number): number {
  return Math.min(Math.max(Math.round(sample), 0), length);
}

/** The nearest lawful view: not wider than the recording, not narrower than allowed, not beyond either end. */
export function clampView(view: View, bounds: Bounds): View {
  const width = Math.max(view.width, 1);
  const samplesPerPixel = Math.min(Math.max(view.samplesPerPixel, bounds.narrowest / width), bounds.length / width);
  const lastStart = Math.max(bounds.length - samplesPerPixel * width, 0);
  return { start: Math.round(Math.min(Math.max(view.start, 0), lastStart)), samplesPerPixel, width };
}

export function wholeView(width: number, bounds: Bounds): View {
  return clampView({ start: 0, samplesPerPixel: bounds.length / Math.max(width, 1), width }, bounds);
}

/** Show exactly a range, or the narrowest allowed view around its middle. */
export function viewOf(range: Range, width: number, bounds: Bounds): View {
  const wanted = Math.max(range.stop - range.start, bounds.narrowest);
  const middle = (range.start + range.stop) / 2;
  return clampView({ start: middle - wanted / 2, samplesPerPixel: wanted / Math.max(width, 1), width }, bounds);
}

/** Zoom by a factor (2 shows half as much); what is under `x` stays under `x` unless an end of the recording is in the way. */
export function zoomAround(view: View, factor: number, x: number, bounds: Bounds): View {
  const samplesPerPixel = clampView(
    { ...view, samplesPerPixel: view.samplesPerPixel / factor },
    bounds,
  ).samplesPerPixel;
  const held = view.start + x * view.samplesPerPixel;
  return clampView({ start: held - x * samplesPerPixel, samplesPerPixel, width: view.width }, bounds);
}

/** Move by pixels; positive shows what is further on. */
export function pan(view: View, pixels: number, bounds: Bounds): View {
  return clampView({ ...view, start: view.start + pixels * view.samplesPerPixel }, bounds);
}

/** Keep what is shown when the page becomes wider or narrower. */
export function resize(view: View, width: number, bounds: Bounds): View {
  return clampView({ start: view.start, samplesPerPixel: span(view) / Math.max(width, 1), width }, bounds);
}

/** Two fingers: the samples that were under them stay under them. */
export function pinch(
  view: View,
  from: readonly [number, number],
  to: readonly [number, number],
  bounds: Bounds,
): View {
  const before = Math.max(Math.abs(from[1] - from[0]), 1);
  const now = Math.max(Math.abs(to[1] - to[0]), 1);
  const zoomed = zoomAround(view, now / before, (from[0] + from[1]) / 2, bounds);
  return pan(zoomed, (from[0] + from[1] - to[0] - to[1]) / 2, bounds);
}

/** The view itself when the sample is well inside it, or one with the sample at `share` of its width. */
export function reveal(view: View, sample: number, share: number, bounds: Bounds): View {
  const x = xOf(view, sample);
  if (x >= 0 && x < view.width) return view;
  return clampView({ ...view, start: sample - share * span(view) }, bounds);
}

// While it plays the view turns a page shortly before the cursor leaves it.
const TURN_AT = 0.94;
const TURN_TO = 0.06;

export function follow(view: View, sample: number, bounds: Bounds): View {
  const x = xOf(view, sample);
  if (x >= 0 && x <= view.width * TURN_AT) return view;
  return clampView({ ...view, start: sample - TURN_TO * span(view) }, bounds);
}

/** Whole device pixels that a range covers, so that neighbours meet without a seam or an overlap. */
export function devicePixels(view: View, ratio: number, range: Range): { left: number; right: number } {
  return {
    left: Math.round(xOf(view, range.start) * ratio),
    right: Math.round(xOf(view, range.stop) * ratio),
  };
}

export function sameView(one: View, other: View): boolean {
  return one.start === other.start && one.samplesPerPixel === other.samplesPerPixel && one.width === other.width;
}
