// The transcript beside the sound: plain text, or lines that begin with a time and lead there.
import { make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { parseTime } from "../../../frontend/src/viewer/times.ts";

export interface TranscriptLine {
  /** Null where the line does not say when it is spoken. */
  atS: number | null;
  time: string;
  words: string;
}

const TIMED = /^\[?((?:\d+:)?\d{1,2}:\d{2}(?:[.,]\d+)?)\]?[\s:–-]+(.*)$/;

export function linesOf(text: string): TranscriptLine[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, time = "", words = ""] = TIMED.exec(line) ?? [];
      const atS = time ? (parseTime(time) ?? null) : null;
      return atS === null ? { atS, time: "", words: line } : { atS, time, words };
    });
}

/** Put the lines into an element; a time is a button that goes there. */
export function showTranscript(scope: Scope, place: HTMLElement, text: string, goTo: (seconds: number) => void): void {
  const lines = linesOf(text).map(({ atS, time, words }) => {
    if (atS === null) return make("p", {}, words);
    const there = make("button", { type: "button", class: "link-button num" }, time);
    scope.listen(there, "click", () => goTo(atS));
    return make("p", { class: "transcript__line" }, there, make("span", {}, words));
  });
  place.replaceChildren(...lines);
}
