// Picture of the recording in the shared viewer, with a marker for every chapter and a strip of all chapters.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { MarkNews } from "../../../frontend/src/viewer/marks.ts";
import { mountViewer, type Viewer } from "../../../frontend/src/viewer/viewer.ts";
import type { Division } from "./division.ts";

/** The whole recording divided into its chapters: a band under the strip, for orientation. */
class ChapterStrip {
  readonly #band = make("div", { class: "chapters__band", "aria-hidden": "true" });

  /** Under the strip with the whole recording, as wide as it is. */
  constructor(picture: HTMLElement) {
    need(".viewer__minimap", picture).after(this.#band);
  }

  show({ marks }: Division, chosen: string | null, durationS: number): void {
    const starts = [0, ...marks.map(({ atS }) => atS)];
    const parts = starts.map((start, index) => {
      const stop = starts[index + 1] ?? durationS;
      const part = make("span", { class: "chapters__part" }, String(index + 1));
      part.style.setProperty("left", `${(100 * start) / durationS}%`);
      part.style.setProperty("width", `${(100 * (stop - start)) / durationS}%`);
      part.dataset.chosen = index > 0 && marks[index - 1]?.id === chosen ? "yes" : "no";
      return part;
    });
    this.#band.replaceChildren(...parts);
  }
}

const LETTER_PX = 7.5; // of a label, at most on average
const LABEL_PADDING_PX = 12;
const LANES = 4;

/**
 * Row of each label, from 0, below every label that reaches so far: neither it nor the line below it covers one while
 * rows are free; and whether it stands to the left of its line, because the picture ends before it would. `at` is in
 * pixels from the left of the picture, ascending.
 */
export function placesOf(labels: readonly { at: number; text: string }[], width: number) {
  const ends = new Array<number>(LANES).fill(Number.NEGATIVE_INFINITY); // where the last label of each row stops
  return labels.map(({ at, text }) => {
    const length = text.length * LETTER_PX + LABEL_PADDING_PX;
    const flipped = at + length > width && at >= length;
    const start = flipped ? at - length : at;
    const below = ends.findLastIndex((end) => end > start) + 1;
    const lane = below < LANES ? below : ends.indexOf(Math.min(...ends));
    ends[lane] = start + length;
    return { lane, flipped };
  });
}

const NUDGE_S = 0.1; // an arrow key on a marker that has the focus; ten times as much with Shift
const PAGE = 0.9;
const LONGEST_LABEL = 24;

/** What happens in the picture. */
interface PictureActs {
  choose(id: string): void;
  move(id: string, seconds: number): void;
  remove(id: string): void;
  /** Somewhere else was clicked. */
  pick(): void;
  ready(): void;
}

interface PictureParts {
  scope: Scope;
  root: ParentNode;
  base: string;
  renew: () => Promise<string>;
  acts: PictureActs;
}

/** The recording in the shared viewer, in seconds: where the cursor is, what is in view, and a marker for every chapter. */
export class Picture {
  readonly viewer: Viewer;
  readonly #strip: ChapterStrip;
  readonly #stage: HTMLElement;
  readonly #field: HTMLElement;
  #shown: { division: Division; chosen: string | null } | null = null;
  #places = "";

  constructor({ scope, root, base, renew, acts }: PictureParts) {
    const place = need("[data-part=picture]", root);
    this.viewer = mountViewer(place, {
      base,
      renew,
      scope,
      fields: false,
      keysOn: null,
      hint: gettext(
        "C marks a chapter at the cursor. Arrow keys move the chosen mark, or the cursor. I and O go from mark to mark, Enter writes the title, Space plays, question mark lists all keys.",
      ),
    });
    this.#strip = new ChapterStrip(place);
    this.#stage = need(".viewer__stage", place);
    this.#field = need(".viewer__field", place);
    const { events } = this.viewer;
    scope.listen(events, "view", () => this.#arrange());
    scope.listen(events, "ready", () => acts.ready());
    scope.listen(events, "pick", () => acts.pick());
    scope.listen<CustomEvent<number>>(events, "jump", ({ detail }) => {
      acts.pick();
      this.viewer.goTo(detail);
    });
    const seconds = ({ at }: MarkNews) => at / this.#rateHz;
    scope.listen<CustomEvent<MarkNews>>(events, "choose", ({ detail }) => acts.choose(detail.id));
    scope.listen<CustomEvent<MarkNews>>(events, "move", ({ detail }) => acts.move(detail.id, seconds(detail)));
    scope.listen<CustomEvent<MarkNews>>(events, "remove", ({ detail }) => acts.remove(detail.id));
  }

  get #rateHz(): number {
    return this.viewer.manifest?.sample_rate_hz ?? 1;
  }

  get durationS(): number {
    return (this.viewer.manifest?.length_samples ?? 0) / this.#rateHz;
  }

  get positionS(): number {
    return this.viewer.position / this.#rateHz;
  }

  focus(): void {
    this.#stage.focus({ preventScroll: true });
  }

  draw(division: Division, chosen: string | null): void {
    if (!this.viewer.manifest) return;
    this.#shown = { division, chosen };
    const places = this.#placesOf(division);
    this.#places = JSON.stringify(places);
    this.viewer.setMarkers(
      division.marks.map(({ id, atS, title }, index) => ({
        id,
        at: this.#sample(atS),
        label: labelOf(index + 2, title),
        name: `${fill(gettext("Chapter {n}"), { n: index + 2 })} ${title}`.trim(),
        movable: true,
        chosen: id === chosen,
        step: Math.round(NUDGE_S * this.#rateHz),
        ...places[index],
      })),
    );
    this.#strip.show(division, chosen, this.durationS);
  }

  /** How labels stand depends on what is in view. */
  #arrange(): void {
    if (this.#shown && JSON.stringify(this.#placesOf(this.#shown.division)) !== this.#places)
      this.draw(this.#shown.division, this.#shown.chosen);
  }

  #placesOf({ marks }: Division) {
    const { shown } = this.viewer;
    const width = this.#field.clientWidth;
    const start = shown?.start ?? 0;
    const pixels = shown ? width / Math.max(shown.stop - start, 1) : 0;
    return placesOf(
      marks.map(({ atS, title }, index) => ({
        at: (this.#sample(atS) - start) * pixels,
        text: labelOf(index + 2, title),
      })),
      width,
    );
  }

  /** Put the cursor at a moment, in view; what sounds goes on from there. */
  goTo(seconds: number): void {
    this.bring(seconds);
    this.viewer.goTo(this.#sample(seconds));
  }

  moveBy(seconds: number): void {
    this.goTo(Math.min(Math.max(this.positionS + seconds, 0), this.durationS));
  }

  /** The cursor follows a mark that is moved, unless something sounds. */
  follow(seconds: number): void {
    if (this.viewer.playing) this.bring(seconds);
    else this.goTo(seconds);
  }

  /** Show a moment without changing how much is seen, if it is not seen already. */
  bring(seconds: number): void {
    const { shown } = this.viewer;
    const sample = this.#sample(seconds);
    if (!shown || (sample >= shown.start && sample <= shown.stop)) return;
    const half = (shown.stop - shown.start) / 2;
    this.viewer.show({ start: sample - half, stop: sample + half });
  }

  turnPage(way: -1 | 1): void {
    const { shown } = this.viewer;
    if (!shown) return;
    const by = way * PAGE * (shown.stop - shown.start);
    this.viewer.show({ start: shown.start + by, stop: shown.stop + by });
  }

  showAll(): void {
    this.viewer.show({ start: 0, stop: this.viewer.manifest?.length_samples ?? 1 });
  }

  play(seconds: number): void {
    this.bring(seconds);
    this.viewer.play(this.#sample(seconds));
  }

  toggle(): void {
    if (this.viewer.playing) this.viewer.stop();
    else this.viewer.play();
  }

  #sample(seconds: number): number {
    return Math.round(seconds * this.#rateHz);
  }
}

function labelOf(number: number, title: string): string {
  const whole = `${number} ${title}`.trim();
  return whole.length > LONGEST_LABEL ? `${whole.slice(0, LONGEST_LABEL - 1)}…` : whole;
}
