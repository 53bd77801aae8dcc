// The three steps and how far each has come: a guide, never a gate.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { PlaneTexts } from "./texts.ts";

export type Step = "explore" | "hours" | "place";

export interface Progress {
  heardS: number;
  sources: number;
  hours: [number, number];
  placed: [number, number];
}

export class Guide {
  readonly #root: ParentNode;
  readonly #texts: PlaneTexts;

  constructor(scope: Scope, root: ParentNode, texts: PlaneTexts, go: (step: Step) => void) {
    this.#root = root;
    this.#texts = texts;
    for (const step of ["explore", "hours", "place"] as const)
      scope.listen(need(`[data-step=${step}]`, root), "click", () => go(step));
  }

  show({ heardS, sources, hours, placed }: Progress): void {
    const minutes = Math.floor(heardS / 60);
    this.#write("explore", fill(this.#texts.explored, { minutes, sources }), false);
    this.#write("hours", `${hours[0]}/${hours[1]}`, hours[1] > 0 && hours[0] === hours[1]);
    this.#write("place", `${placed[0]}/${placed[1]}`, placed[0] === placed[1]);
  }

  #write(step: Step, text: string, done: boolean): void {
    const button = need(`[data-step=${step}]`, this.#root);
    need("[data-count]", button).textContent = text;
    button.dataset.done = done ? "yes" : "no";
  }
}
