// The whole recording divided into its chapters: a band under the strip, for orientation.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import type { Division } from "./division.ts";

export class ChapterStrip {
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
