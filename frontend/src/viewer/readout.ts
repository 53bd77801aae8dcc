// Readout of the viewer in figures and words: position, clock, what lies under the pointer, how the picture was made.
import { make } from "../lib/dom.ts";
import { decimal, fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import { COLOURS, css } from "./colours.ts";
import { arrowStep } from "./controls.ts";
import type { Parts } from "./dom.ts";
import { screenRatio } from "./drawing.ts";
import { rangeOf, sampleAt, span } from "./geometry.ts";
import { columnStep, storedStatistic, tileLevel, tileSpan } from "./levels.ts";
import { dbOf, frequencyMarks, hzAt } from "./ruler.ts";
import type { ViewerState } from "./state.ts";
import type { TileStore } from "./tiles.ts";
import { clockAt, decimalsFor, formatClock, formatDb, formatHz, formatTime, spokenParts } from "./times.ts";

const QUIET_MS = 400;
const AXIS_GAP = 0.085;
const AXIS_GAP_PX = 12; // a low picture has fewer labels
const STOPS = 16; // of the colour bar
const NONE = "–";

function write(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export class Readout {
  readonly #scope: Scope;
  readonly #parts: Parts;
  readonly #state: ViewerState;
  readonly #tiles: TileStore;
  readonly #cells: Record<"time" | "clock" | "frequency" | "level", HTMLElement>;
  #quiet = () => {};
  #axisGap = 0;

  constructor(scope: Scope, parts: Parts, state: ViewerState, tiles: TileStore) {
    this.#scope = scope;
    this.#parts = parts;
    this.#state = state;
    this.#tiles = tiles;
    const cell = (name: string) => make("span", { class: `viewer__cell viewer__cell--${name}` });
    this.#cells = { time: cell("time"), clock: cell("clock"), frequency: cell("frequency"), level: cell("level") };
    const { time, clock, frequency, level } = this.#cells;
    const clocks = state.manifest.clock.length ? [clock] : [];
    const times = [...(state.showsFileTime ? [time] : []), ...clocks];
    parts.readout.replaceChildren(make("b", {}, gettext("Pointer")), ...times, frequency, level);
    this.#drawColours();
    this.showPosition();
    this.showView(parts.spectrum.clientHeight);
  }

  /** The large figures, and the slider for those who do not see the cursor. */
  showPosition(): void {
    const { position, rate, manifest, length } = this.#state;
    write(this.#parts.time, formatTime(position / rate, 3));
    const clock = clockAt(manifest.clock, position, rate);
    const none = manifest.clock.length ? gettext("between two hours") : "";
    write(this.#parts.clock, clock === null ? none : fill(gettext("clock {time}"), { time: formatClock(clock) }));
    const slider = this.#parts.position;
    slider.max = String(length);
    slider.value = String(position);
    slider.setAttribute("aria-valuetext", this.#spokenPosition());
  }

  /** What the picture shows, which is so many pixels high. */
  showView(height: number): void {
    const { view, rate, look, manifest } = this.#state;
    this.#parts.position.step = String(arrowStep(view, rate));
    const shape = manifest.spectrogram;
    const level = tileLevel(shape, view, screenRatio());
    const column = columnStep(shape, level);
    const pooled = storedStatistic(shape, look.statistic, level) === "mean" ? gettext("Mean") : gettext("Maximum");
    const values = {
      window: shape.window.charAt(0).toUpperCase() + shape.window.slice(1),
      samples: shape.window_samples,
      ms: decimal(((shape.window_samples / rate) * 1000).toFixed(1)),
      column: columnWords(column / rate),
      scale: shape.scale,
      rows: shape.rows,
      low: `${shape.low_hz} Hz`,
      high: `${decimal(String(shape.high_hz / 1000))} kHz`,
      gain: formatDb(look.gainDb),
      range: formatDb(look.rangeDb),
      statistic: pooled.toLowerCase(),
    };
    const sentence =
      column > shape.window_samples / 2
        ? gettext(
            "{window} windows of {samples} samples ({ms} ms), each column the {statistic} over {column}; {rows} {scale} rows from {low} to {high}; gain {gain}, range {range}.",
          )
        : gettext(
            "{window} window of {samples} samples ({ms} ms), one column every {column}; {rows} {scale} rows from {low} to {high}; gain {gain}, range {range}.",
          );
    write(this.#parts.parameters, fill(sentence, values));
    this.#labelColours();
    this.#drawAxis(height);
    this.showPointer();
  }

  /** Time, clock, frequency and level under the pointer. */
  showPointer(): void {
    const { pointer, view, rate, length, manifest } = this.#state;
    const { time, clock, frequency, level } = this.#cells;
    if (!pointer) {
      const first = this.#state.showsFileTime ? time : clock;
      for (const cell of Object.values(this.#cells)) write(cell, cell === first ? NONE : "");
      return;
    }
    const sample = sampleAt(view, pointer.x, length);
    const decimals = decimalsFor(view.samplesPerPixel / rate);
    write(time, formatTime(sample / rate, decimals));
    const clockS = clockAt(manifest.clock, sample, rate);
    write(
      clock,
      clockS === null
        ? gettext("between two hours")
        : fill(gettext("clock {time}"), { time: formatClock(clockS, decimals) }),
    );
    write(frequency, pointer.height === null ? "" : formatHz(hzAt(manifest.spectrogram, pointer.height)));
    const db = pointer.height === null ? null : this.#levelAt(sample, pointer.height);
    write(level, db === null ? "" : formatDb(db));
  }

  /** Announce what a key has done, once no key follows. */
  announce(what: "position" | "selection" | "view"): void {
    this.#quiet();
    this.#quiet = this.#scope.after(QUIET_MS, () => write(this.#parts.live, this.#sentence(what)));
  }

  #sentence(what: "position" | "selection" | "view"): string {
    const { selection, view, rate } = this.#state;
    if (what === "position") return this.#spokenPosition();
    if (what === "selection" && !selection) return "";
    const range = what === "selection" && selection ? selection : rangeOf(view);
    const sentence =
      what === "selection"
        ? gettext("Selected from {start} to {stop}, {length} long")
        : gettext("Showing {length} from {start}");
    const spoken = (sample: number) => fill(gettext("{h} h {m} min {s} s"), { ...spokenParts(sample / rate) });
    return fill(sentence, {
      start: spoken(range.start),
      stop: spoken(range.stop),
      length: spoken(what === "view" ? span(view) : range.stop - range.start),
    });
  }

  #spokenPosition(): string {
    const { position, rate, manifest, showsFileTime } = this.#state;
    const spoken = fill(gettext("{h} h {m} min {s} s"), { ...spokenParts(position / rate) });
    const clock = clockAt(manifest.clock, position, rate);
    if (clock === null) return spoken;
    const told = fill(gettext("clock {time}"), { time: formatClock(clock) });
    return showsFileTime ? `${spoken}, ${told}` : told;
  }

  #levelAt(sample: number, height: number): number | null {
    const shape = this.#state.manifest.spectrogram;
    const level = tileLevel(shape, this.#state.view, screenRatio());
    const index = Math.floor(sample / tileSpan(shape, level));
    const column = Math.floor(sample / columnStep(shape, level)) - index * shape.columns;
    const value = this.#tiles.valueAt({ level, index }, column, Math.floor(height * shape.rows));
    return value === undefined ? null : dbOf(shape, value);
  }

  #drawAxis(height: number): void {
    const gap = Math.max(AXIS_GAP, height > 0 ? AXIS_GAP_PX / height : 0);
    if (gap === this.#axisGap) return;
    this.#axisGap = gap;
    const marks = frequencyMarks(this.#state.manifest.spectrogram, gap).map(({ height, label }, index) => {
      const mark = make("span", {}, index ? label : `${label} Hz`);
      mark.style.setProperty("top", `${(height * 100).toFixed(2)}%`);
      return mark;
    });
    const { clock } = this.#state.manifest;
    const unit = make("b", {}, clock.length ? gettext("h:min") : gettext("min:s"));
    this.#parts.axis.replaceChildren(make("div", {}, ...marks), unit);
  }

  /** The colours from the loudest on top to what is not shown any more. */
  #drawColours(): void {
    const stops = Array.from({ length: STOPS }, (_, stop) => {
      const share = stop / (STOPS - 1);
      return css(COLOURS[Math.round((1 - share) * (COLOURS.length - 1))] ?? [0, 0, 0]);
    });
    const bar = make("div");
    bar.style.setProperty("background-image", `linear-gradient(${stops.join(", ")})`);
    this.#parts.colourBar.replaceChildren(bar, make("span"), make("span"), make("i", {}, "dB"));
  }

  #labelColours(): void {
    const [, loudest, softest] = this.#parts.colourBar.children;
    const { gainDb, rangeDb } = this.#state.look;
    if (loudest) write(loudest, String(-gainDb).replace("-", "−"));
    if (softest) write(softest, String(-gainDb - rangeDb).replace("-", "−"));
  }
}

function columnWords(seconds: number): string {
  if (seconds < 1) return `${decimal((seconds * 1000).toPrecision(3))} ms`;
  return `${decimal(seconds.toPrecision(3))} s`;
}
