// The selection in figures: two times that can be typed, and buttons that take them from the cursor.
import { fill } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { Parts } from "./parts.ts";
import type { ViewerState } from "./state.ts";
import type { ViewerTexts } from "./texts.ts";
import { formatTime, parseTime } from "./times.ts";

const DECIMALS = 3;

export class SelectionFields {
  readonly #parts: Parts;
  readonly #state: ViewerState;
  readonly #texts: ViewerTexts;

  constructor(scope: Scope, parts: Parts, state: ViewerState, texts: ViewerTexts) {
    this.#parts = parts;
    this.#state = state;
    this.#texts = texts;
    for (const input of [parts.start, parts.stopAt]) scope.listen(input, "change", () => this.#read(input));
    scope.listen(parts.clear, "click", () => state.select(0, 0));
    scope.listen(parts.startHere, "click", () => this.#take("start"));
    scope.listen(parts.stopHere, "click", () => this.#take("stop"));
    state.on(scope, ["selection"], () => this.show());
    this.show();
  }

  show(): void {
    const { selection, rate } = this.#state;
    const { start, stopAt, length, clear, toSelection } = this.#parts;
    start.value = selection ? formatTime(selection.start / rate, DECIMALS) : "";
    stopAt.value = selection ? formatTime(selection.stop / rate, DECIMALS) : "";
    const duration = selection ? formatTime((selection.stop - selection.start) / rate, DECIMALS) : "–";
    length.textContent = fill(this.#texts.selection_length, { length: duration });
    clear.disabled = toSelection.disabled = !selection;
    this.#judge(start, true);
    this.#judge(stopAt, true);
  }

  #judge(input: HTMLInputElement, fits: boolean): void {
    if (fits) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
    this.#parts.fieldsNote.textContent = fits ? "" : this.#texts.not_a_time;
  }

  #read(input: HTMLInputElement): void {
    const { rate, length, selection } = this.#state;
    const seconds = parseTime(input.value);
    if (seconds === undefined || seconds * rate > length + rate / 2) {
      this.#judge(input, false);
      return;
    }
    // A figure that was not touched keeps its exact sample, of which it shows only milliseconds.
    const other = input === this.#parts.start ? this.#parts.stopAt : this.#parts.start;
    const kept = input === this.#parts.start ? selection?.stop : selection?.start;
    const otherSeconds = parseTime(other.value);
    const end = kept ?? (otherSeconds === undefined ? undefined : Math.round(otherSeconds * rate));
    this.#judge(input, true);
    if (end !== undefined) this.#state.select(Math.round(seconds * rate), end);
  }

  /** Without a drag: the cursor's place becomes one end, and the other stays or is the end of the recording. */
  #take(end: "start" | "stop"): void {
    const { position, selection, length } = this.#state;
    if (end === "start") this.#state.select(position, selection && selection.stop > position ? selection.stop : length);
    else this.#state.select(selection && selection.start < position ? selection.start : 0, position);
  }
}
