// Passages of summaries: where in the day a part of a summary comes from, as its cue sheet says.
import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { MarkNews } from "../../../frontend/src/viewer/marks.ts";
import type { Range } from "../../../frontend/src/viewer/remote.ts";
import type { Marker } from "../../../frontend/src/viewer/state.ts";
import type { Summaries } from "./audioPanel.ts";
import type { Passage, Token } from "./contract.ts";
import { numberOf } from "./crosses.ts";
import type { Day } from "./day.ts";

const AROUND = 2; // how many times its length is shown before and after a passage

/** The passage that a second of a summary belongs to; the end of the summary belongs to the last one. Pure. */
export function passageAt(passages: readonly Passage[], second: number): Passage | undefined {
  return passages.findLast(([at]) => at <= second);
}

/** A thin mark where each passage but the first begins; the summary itself begins with the first. Pure. */
export function borders(passages: readonly Passage[], rateHz: number): Marker[] {
  const later = passages.filter(([at]) => at > 0);
  return later.map(([at]) => ({ id: `passage ${at}`, at: Math.round(at * rateHz), label: "", line: true }));
}

interface FinderParts {
  scope: Scope;
  root: HTMLElement;
  day: Day;
  summaries: Summaries;
  passages: Readonly<Record<Token, readonly Passage[]>>;
}

/** Finder of passages: shows in the day what sounds at the summary's cursor; asked again, plays the day from there. */
export class PassageFinder {
  readonly #parts: FinderParts;
  readonly #button: HTMLElement;
  readonly #status: HTMLElement;
  #shown: Passage | null = null;

  constructor(parts: FinderParts) {
    this.#parts = parts;
    const { scope, root, day } = parts;
    this.#button = need("[data-part=passage-find]", root);
    this.#status = need("[data-part=passage-status]", root);
    scope.listen(this.#button, "click", () => this.find());
    scope.listen<CustomEvent<MarkNews>>(day.viewer.events, "choose", ({ detail }) => {
      if (detail.kind === "region") this.#play(detail.at);
    });
    this.draw();
  }

  find(): void {
    const { day, summaries } = this.#parts;
    const passage = this.#here();
    if (!passage || !day.viewer.manifest) return;
    const { start, stop } = this.#inDay(passage);
    const around = AROUND * (stop - start);
    day.viewer.show({ start: start - around, stop: stop + around });
    if (passage === this.#shown) {
      this.#play(start);
      return;
    }
    this.#shown = passage;
    day.viewer.goTo(start);
    const label = fill(gettext("Summary {n}"), { n: numberOf(summaries.token) });
    day.viewer.setRegions([{ id: String(start), label, start, stop }]);
    this.draw();
  }

  /** The summary's cursor is somewhere else, or another summary is chosen. */
  draw(): void {
    const passage = this.#here();
    this.#button.setAttribute("aria-disabled", String(!passage));
    const text = this.#text(passage);
    if (this.#status.textContent !== text) this.#status.textContent = text;
  }

  #text(passage: Passage | undefined): string {
    const { day } = this.#parts;
    if (!passage) return gettext("It is not known where this part of the summary comes from.");
    if (passage !== this.#shown) return "";
    const { start, stop } = this.#inDay(passage);
    return fill(gettext("From {start} to {stop}. Press again to play."), {
      start: day.nameOf(start),
      stop: day.nameOf(stop),
    });
  }

  #inDay([, fromS, lengthS]: Passage): Range {
    const { rateHz } = this.#parts.day;
    return { start: Math.round(fromS * rateHz), stop: Math.round((fromS + lengthS) * rateHz) };
  }

  #here(): Passage | undefined {
    const { summaries, passages } = this.#parts;
    const { viewer, token } = summaries;
    return passageAt(passages[token] ?? [], (viewer?.position ?? 0) / (viewer?.manifest?.sample_rate_hz ?? 1));
  }

  /** To the end of the day, whatever is selected in it. */
  #play(start: number): void {
    const { viewer } = this.#parts.day;
    viewer.play(start, viewer.manifest?.length_samples);
  }
}
