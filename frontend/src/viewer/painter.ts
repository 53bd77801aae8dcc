// Painter of a viewer: redraws what has changed once a frame, and requests the data needed for it.
import type { Scope } from "../lib/scope.ts";
import type { Parts } from "./dom.ts";
import {
  drawMinimap,
  drawRuler,
  drawSpectrum,
  drawWave,
  placeCursor,
  placeHover,
  placeSelection,
  placeWindow,
  readPalette,
  Surface,
  screenRatio,
} from "./drawing.ts";
import { pan, rangeOf, resize } from "./geometry.ts";
import type { Marks } from "./marks.ts";
import type { PeakStore } from "./peaks.ts";
import type { Playback } from "./playback.ts";
import type { Readout } from "./readout.ts";
import type { Topic, ViewerState } from "./state.ts";
import type { TileStore } from "./tiles.ts";

// While the wheel is turned, the levels in between are not all worth fetching.
const SETTLE_MS = 90;
// What is drawn on the canvases, and does not only lie over them.
const PICTURED: readonly Topic[] = ["data", "view", "look", "heard"];

interface PainterParts {
  scope: Scope;
  parts: Parts;
  state: ViewerState;
  tiles: TileStore;
  peaks: PeakStore;
  marks: Marks;
  readout: Readout;
  playback: Playback;
  /** After each paint. */
  painted(): void;
}

export class Painter {
  readonly #with: PainterParts;
  readonly #surfaces: Record<"ruler" | "wave" | "spectrum" | "minimap", Surface>;
  readonly #dirty = new Set<Topic>(["data", "view", "position", "selection", "pointer"]);
  #palette: ReturnType<typeof readPalette>;
  #waiting = false;
  #settling = false;
  #planAgain = false;

  constructor(painterParts: PainterParts) {
    this.#with = painterParts;
    const { scope, parts, state } = painterParts;
    this.#palette = readPalette(parts.probe);
    this.#surfaces = {
      ruler: new Surface(parts.ruler),
      wave: new Surface(parts.wave),
      spectrum: new Surface(parts.spectrum),
      minimap: new Surface(parts.minimapCanvas),
    };
    for (const surface of Object.values(this.#surfaces)) scope.own(() => surface.release());
    const topics: Topic[] = ["data", "view", "position", "selection", "look", "pointer", "playing", "marks", "heard"];
    for (const topic of topics) state.on(scope, [topic], () => this.mark(topic));
    this.#watchSize();
    this.#watchTheme();
  }

  mark(topic: Topic): void {
    this.#dirty.add(topic);
    if (this.#waiting) return;
    this.#waiting = true;
    this.#with.scope.frame(() => {
      this.#waiting = false;
      this.#paint();
    });
  }

  #paint(): void {
    const { playback, state, tiles, painted } = this.#with;
    playback.advance();
    const dirty = new Set(this.#dirty);
    this.#dirty.clear();
    if (dirty.has("look")) tiles.setLook(state.look);
    const pictures = PICTURED.some((topic) => dirty.has(topic));
    if (pictures) this.#pictures();
    this.#overlays(dirty, pictures);
    if (playback.sounding) this.mark("position");
    painted();
  }

  #pictures(): void {
    const { parts, state, tiles, peaks } = this.#with;
    const { ruler, wave, spectrum, minimap } = this.#surfaces;
    // All are measured before anything is written: after that, each look at a size would lay out the page once more.
    for (const surface of Object.values(this.#surfaces)) surface.fit();
    if (ruler.shown) drawRuler(ruler, state, this.#palette);
    if (wave.shown) drawWave(wave, state, peaks, this.#palette);
    const awaitsTiles = spectrum.shown && drawSpectrum(spectrum, state, tiles, this.#palette);
    const awaitsPeaks = peaks.loading(state.view, screenRatio(), state.length);
    parts.skeleton.hidden = !awaitsTiles;
    parts.waveSkeleton.hidden = !awaitsPeaks;
    parts.stage.setAttribute("aria-busy", String(awaitsTiles || awaitsPeaks));
    if (minimap.shown) drawMinimap(minimap, state, tiles, this.#palette);
    this.#plan();
  }

  #overlays(dirty: ReadonlySet<Topic>, pictures: boolean): void {
    const { parts, state, marks, readout } = this.#with;
    const { spectrum, minimap } = this.#surfaces;
    if (pictures || dirty.has("position")) placeCursor(parts, state, minimap.width);
    if (pictures || dirty.has("selection")) placeSelection(parts, state);
    if (pictures || dirty.has("marks")) marks.place();
    if (pictures) placeWindow(parts, state, minimap.width);
    if (dirty.has("pointer")) placeHover(parts, state);
    if (dirty.has("position")) readout.showPosition();
    if (pictures) readout.showView(spectrum.height);
    else if (dirty.has("pointer")) readout.showPointer();
  }

  /** Ask at once, then at most once in a while as long as the view keeps changing. */
  #plan(): void {
    this.#planAgain = this.#settling;
    if (this.#settling) return;
    this.#request();
    this.#settling = true;
    this.#with.scope.after(SETTLE_MS, () => {
      this.#settling = false;
      if (this.#planAgain) this.#plan();
    });
  }

  #request(): void {
    const { state, tiles, peaks } = this.#with;
    const { view, length, bounds } = state;
    const ahead = state.playing !== "idle" && state.follow ? pan(view, view.width, bounds) : view;
    tiles.want(view, screenRatio(), length, ahead);
    peaks.want(view, screenRatio(), { start: view.start, stop: rangeOf(ahead).stop }, length);
  }

  #watchSize(): void {
    const { scope, parts, state } = this.#with;
    const fit = () => {
      const width = parts.field.clientWidth;
      if (width > 0 && width !== state.view.width) state.setView(resize(state.view, width, state.bounds));
      this.mark("data");
    };
    const observer = new ResizeObserver(fit);
    observer.observe(parts.field);
    scope.observe(observer);
    scope.listen(window, "resize", fit); // also told when a window moves to a finer screen
  }

  #watchTheme(): void {
    const { scope, parts } = this.#with;
    const repaint = () => {
      this.#palette = readPalette(parts.probe);
      this.mark("data");
    };
    const observer = new MutationObserver(repaint);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    scope.observe(observer);
    scope.listen(matchMedia("(prefers-color-scheme: dark)"), "change", repaint);
  }
}
