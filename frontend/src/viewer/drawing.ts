// Drawing of rulers, waveform, spectrogram and overview on their canvases, and of what lies over them.

import { COLOURS, css } from "./colours.ts";
import type { Parts } from "./dom.ts";
import { devicePixels, rangeOf, type View, wholeView, xOf } from "./geometry.ts";
import { tileLevel, tileRange, tilesIn } from "./levels.ts";
import { type Bins, envelope, type PeakStore } from "./peaks.ts";
import type { Range } from "./remote.ts";
import { clockTicks, fileTicks, type Tick } from "./ruler.ts";
import type { ViewerState } from "./state.ts";
import type { TileStore } from "./tiles.ts";
import { hourStarts } from "./times.ts";

// Beyond three device pixels no difference is visible, but the memory counts.
const FINEST = 3;

export function screenRatio(): number {
  return Math.min(Math.max(globalThis.devicePixelRatio || 1, 1), FINEST);
}

/** A canvas that is as fine as the screen, and the colours that a theme gives it. */
export class Surface {
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  /** In CSS pixels. */
  width = 0;
  height = 0;
  ratio = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.#context = canvas.getContext("2d", { alpha: false }) as CanvasRenderingContext2D;
  }

  /** Take the size that the style sheet gives. */
  fit(): void {
    this.ratio = screenRatio();
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    const [width, height] = [Math.round(this.width * this.ratio), Math.round(this.height * this.ratio)];
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  get shown(): boolean {
    return this.canvas.width > 0 && this.canvas.height > 0;
  }

  /** A cleared context in device pixels. */
  begin(ground: string): CanvasRenderingContext2D {
    const context = this.#context;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.fillStyle = ground;
    context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    return context;
  }

  /** Give the memory back at once; browsers are slow to collect canvases. */
  release(): void {
    this.canvas.width = 0;
    this.canvas.height = 0;
  }
}

interface Palette {
  ground: string;
  wave: string;
  line: string;
  tick: string;
  ink: string;
  soft: string;
  hatch: string;
  face: string;
}

/** The theme's colours at this moment (static/css/viewer.css), through an element: only that way the browser works them out. */
export function readPalette(probe: HTMLElement): Palette {
  const style = getComputedStyle(probe);
  const colour = (name: string) => {
    probe.style.setProperty("color", `var(--viewer-${name})`);
    return style.color || "#808080";
  };
  return {
    ground: colour("ground"),
    wave: colour("wave"),
    line: colour("line"),
    tick: colour("tick"),
    ink: colour("ink"),
    soft: colour("soft"),
    hatch: colour("hatch"),
    face: style.fontFamily || "sans-serif",
  };
}

/** Slanted lines over a part that has nothing to show yet, or nothing to hear. */
function hatch(
  context: CanvasRenderingContext2D,
  colour: string,
  area: { left: number; top: number; width: number; height: number },
  gap: number,
): void {
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width, area.height);
  context.clip();
  context.beginPath();
  // Counted from the canvas's own zero, so that the lines stand still while the area grows.
  const first = Math.floor((area.left - area.height) / gap) * gap;
  for (let x = first; x < area.left + area.width; x += gap) {
    context.moveTo(x, area.top + area.height);
    context.lineTo(x + area.height, area.top);
  }
  context.strokeStyle = colour;
  context.lineWidth = Math.max(gap / 8, 1);
  context.stroke();
  context.restore();
}

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
export function placeCursor(parts: Parts, state: ViewerState, width: number): void {
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

type Context = CanvasRenderingContext2D;

const LABEL_GAP = 78;
const LABEL_PX = 11;
// On the spectrogram the marks have one colour in all themes, as the picture itself has.
const OVER_PICTURE = "rgb(255 255 255 / 30%)";
const HEARD = "rgb(120 226 205)";
const HEARD_RIM = "rgb(0 0 0 / 70%)";
const HEARD_PX = 3;
const PICTURE_GROUND = css(COLOURS[0] ?? [0, 0, 0]);

/** One row of marks for the clock where the recording has one, and below it one for time in the file where that is shown. */
export function drawRuler(surface: Surface, state: ViewerState, palette: Palette): void {
  const context = surface.begin(palette.ground);
  const { view, rate, manifest } = state;
  const clocked = manifest.clock.length > 0;
  const rows = [
    ...(clocked ? [{ ticks: clockTicks(view, rate, manifest.clock, LABEL_GAP), ink: palette.ink }] : []),
    ...(state.showsFileTime
      ? [{ ticks: fileTicks(view, rate, LABEL_GAP), ink: clocked ? palette.soft : palette.ink }]
      : []),
  ];
  const height = surface.canvas.height / rows.length;
  rows.forEach(({ ticks, ink }, row) => {
    drawTicks(context, surface, palette, ticks, { top: row * height, height, ink });
  });
  context.fillStyle = palette.line;
  const line = Math.max(Math.round(surface.ratio), 1);
  for (let row = 1; row < rows.length; row += 1)
    context.fillRect(0, Math.round(row * height), surface.canvas.width, line);
  context.fillRect(0, surface.canvas.height - line, surface.canvas.width, line);
}

interface Row {
  top: number;
  height: number;
  ink: string;
}

function drawTicks(context: Context, surface: Surface, palette: Palette, ticks: readonly Tick[], row: Row): void {
  const { ratio } = surface;
  const line = Math.max(Math.round(ratio), 1);
  context.font = `500 ${LABEL_PX * ratio}px ${palette.face}`;
  context.textBaseline = "middle";
  let free = Number.NEGATIVE_INFINITY;
  for (const { x, label } of ticks) {
    const left = Math.round(x * ratio);
    const tall = label ? row.height : row.height * 0.28;
    context.fillStyle = label ? palette.tick : palette.line;
    context.fillRect(left, Math.round(row.top + row.height - tall), line, Math.ceil(tall));
    if (!label || left < free) continue;
    const right = left + 5 * ratio + context.measureText(label).width;
    if (right > surface.canvas.width) continue; // it would be cut
    context.fillStyle = row.ink;
    context.fillText(label, left + 5 * ratio, row.top + row.height * 0.42);
    free = right + 5 * ratio;
  }
}

/** The sound's lowest and highest values, with silences, hours and what is not ready yet. */
export function drawWave(surface: Surface, state: ViewerState, peaks: PeakStore, palette: Palette): void {
  const context = surface.begin(palette.ground);
  const { width, height } = surface.canvas;
  const middle = Math.round(height / 2);
  const thin = Math.max(Math.round(surface.ratio), 1);
  const scale = (height / 2 / 128) * state.look.waveScale;
  const levelOf = (value: number) => Math.min(Math.max(middle - value * scale, 0), height);
  const bins = peaks.bins(state.view, surface.ratio);
  const perPixel = state.view.samplesPerPixel / surface.ratio;
  drawSilences(context, surface, state, palette.hatch);
  context.fillStyle = palette.line;
  context.fillRect(0, middle, width, thin);
  context.fillStyle = palette.wave;
  const pen = { context, width, thin, levelOf };
  if (bins.samples > perPixel) drawOutline(pen, bins, state.view.start, perPixel);
  else drawColumns(pen, bins, state.view.start, perPixel);
  drawHours(context, surface, state, palette.line);
  drawNotReady(context, surface, state.view, state, palette);
}

interface Pen {
  context: Context;
  width: number;
  thin: number;
  levelOf(value: number): number;
}

function drawColumns({ context, width, thin, levelOf }: Pen, bins: Bins, start: number, perPixel: number): void {
  const { low, high, known } = envelope(bins, start, perPixel, width);
  for (let x = 0; x < width; x += 1) {
    if (!known[x]) continue;
    const top = levelOf(high[x] ?? 0);
    context.fillRect(x, top - thin / 2, 1, levelOf(low[x] ?? 0) - top + thin);
  }
}

/** Closer than the peaks are fine: straight lines between the middles of the bins, along the top and back along the bottom. */
function drawOutline({ context, width, thin, levelOf }: Pen, bins: Bins, start: number, perPixel: number): void {
  const first = Math.floor(start / bins.samples) - 1;
  const last = Math.ceil((start + width * perPixel) / bins.samples);
  const tops: [number, number][] = [];
  const bottoms: [number, number][] = [];
  for (let bin = Math.max(first, 0); bin <= last; bin += 1) {
    const found = bins.at(bin);
    if (!found) continue;
    const x = ((bin + 0.5) * bins.samples - start) / perPixel;
    tops.push([x, levelOf(found.values[found.index + 1] ?? 0) - thin / 2]);
    bottoms.unshift([x, levelOf(found.values[found.index] ?? 0) + thin / 2]);
  }
  context.beginPath();
  for (const [x, y] of [...tops, ...bottoms]) context.lineTo(x, y);
  context.closePath();
  context.fill();
}

function drawSilences(context: Context, surface: Surface, state: ViewerState, colour: string): void {
  const shown = rangeOf(state.view);
  for (const silence of state.manifest.silences) {
    if (silence.stop <= shown.start || silence.start >= shown.stop) continue;
    const { left, right } = devicePixels(state.view, surface.ratio, silence);
    if (right - left < 3 * surface.ratio) continue; // the line of the hour says it
    const area = { left, top: 0, width: right - left, height: surface.canvas.height };
    hatch(context, colour, area, 7 * surface.ratio);
  }
}

const HOUR_GAP = 14;

/** A thin line where an hour of the clock begins, unless the hours stand too close to be told apart. */
function drawHours(context: Context, surface: Surface, state: ViewerState, colour: string): void {
  const { view, rate, manifest } = state;
  if ((3600 * rate) / view.samplesPerPixel < HOUR_GAP) return;
  const line = Math.max(Math.round(surface.ratio), 1);
  context.fillStyle = colour;
  for (const start of hourStarts(manifest.clock, rate)) {
    const { left } = devicePixels(view, surface.ratio, { start, stop: start });
    if (start > 0 && left >= 0 && left < surface.canvas.width) context.fillRect(left, 0, line, surface.canvas.height);
  }
}

function drawNotReady(context: Context, surface: Surface, view: View, state: ViewerState, palette: Palette): void {
  for (const gap of missing(state.manifest.ready, state.length)) {
    const { left, right } = devicePixels(view, surface.ratio, gap);
    const from = Math.max(left, 0);
    const to = Math.min(right, surface.canvas.width);
    if (to <= from) continue;
    const area = { left: from, top: 0, width: to - from, height: surface.canvas.height };
    context.fillStyle = palette.ground;
    context.fillRect(area.left, area.top, area.width, area.height);
    hatch(context, palette.hatch, area, 12 * surface.ratio);
  }
}

/** What lies between the parts that are ready. */
export function missing(ready: readonly Range[], length: number): Range[] {
  const gaps: Range[] = [];
  let reached = 0;
  for (const { start, stop } of ready) {
    if (start > reached) gaps.push({ start: reached, stop: start });
    reached = Math.max(reached, stop);
  }
  if (reached < length) gaps.push({ start: reached, stop: length });
  return gaps;
}

/** Whether something of it is still on its way: a part without any picture, not even a coarse one. */
export function drawSpectrum(surface: Surface, state: ViewerState, tiles: TileStore, palette: Palette): boolean {
  const context = surface.begin(PICTURE_GROUND);
  const loading = drawTiles(context, surface, state, tiles, state.view);
  drawSilences(context, surface, state, "rgb(255 255 255 / 14%)");
  drawHours(context, surface, state, OVER_PICTURE);
  drawHeard(context, surface, state.view, state.heard);
  drawNotReady(context, surface, state.view, state, palette);
  return loading;
}

/** The whole recording in a strip. */
export function drawMinimap(surface: Surface, state: ViewerState, tiles: TileStore, palette: Palette): void {
  const context = surface.begin(PICTURE_GROUND);
  const whole = wholeView(surface.width, state.bounds);
  drawTiles(context, surface, state, tiles, whole, state.manifest.spectrogram.levels - 1);
  drawHeard(context, surface, whole, state.heard);
  drawNotReady(context, surface, whole, state, palette);
}

/** What has been listened to is underlined; two seconds of a day are still seen. */
function drawHeard(context: Context, surface: Surface, view: View, heard: readonly Range[]): void {
  const thick = Math.round(HEARD_PX * surface.ratio);
  const rim = Math.max(Math.round(surface.ratio), 1);
  const { width, height } = surface.canvas;
  for (const range of heard) {
    const { left, right } = devicePixels(view, surface.ratio, range);
    if (right < 0 || left > width) continue;
    const long = Math.max(right - left, 2 * rim);
    context.fillStyle = HEARD_RIM;
    context.fillRect(left - rim, height - thick - rim, long + 2 * rim, thick + rim);
    context.fillStyle = HEARD;
    context.fillRect(left, height - thick, long, thick);
  }
}

function drawTiles(
  context: Context,
  surface: Surface,
  state: ViewerState,
  tiles: TileStore,
  view: View,
  fixedLevel?: number,
): boolean {
  let loading = false;
  const shape = state.manifest.spectrogram;
  const level = fixedLevel ?? tileLevel(shape, view, surface.ratio);
  context.imageSmoothingEnabled = true;
  context.imageSmoothingQuality = "low";
  for (const tile of tilesIn(shape, level, rangeOf(view), state.length)) {
    const { left, right } = devicePixels(view, surface.ratio, tileRange(shape, tile));
    const area = { left, top: 0, width: right - left, height: surface.canvas.height };
    const share = tiles.best(tile);
    if (share) context.drawImage(share.image, share.left, 0, share.width, shape.rows, left, 0, area.width, area.height);
    else if (tiles.failed(tile)) hatch(context, OVER_PICTURE, area, 14 * surface.ratio);
    else loading = true;
  }
  return loading;
}
