// Closing a recording: what is there is told, what was not heard or named too, and only titles that are needed forbid it.
import { fill, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import { formatTime } from "../viewer/times.ts";
import { type Division, untitled } from "./division.ts";
import type { ChaptersTexts } from "./texts.ts";

export interface Facts {
  division: Division;
  heardS: number;
  durationS: number;
}

export interface ClosingParts {
  scope: Scope;
  root: ParentNode;
  texts: ChaptersTexts;
  titles: "none" | "wanted" | "needed";
  facts(): Facts;
  finish(): Promise<void>;
}

export class Closing {
  readonly #parts: ClosingParts;
  readonly #dialog: HTMLDialogElement;

  constructor(parts: ClosingParts) {
    this.#parts = parts;
    const { scope, root, finish } = parts;
    this.#dialog = need("[data-part=closing]", root);
    scope.listen(need("[data-part=finish]", root), "click", () => this.#ask());
    scope.listen(this.#dialog, "close", () => {
      if (this.#dialog.returnValue === "finish") void finish();
    });
  }

  #ask(): void {
    const { texts, titles, facts } = this.#parts;
    const { division, heardS, durationS } = facts();
    const count = division.marks.length + 1;
    const bare = titles === "none" ? [] : untitled(division);
    const forbidden = titles === "needed" && bare.length > 0;
    this.#say("count", fill(count === 1 ? texts.count_one : texts.count, { n: count }));
    this.#say("heard", fill(texts.heard, { heard: formatTime(heardS), total: formatTime(durationS) }));
    this.#say("untitled", bare.length && !forbidden ? fill(texts.untitled, { n: bare.join(", ") }) : "");
    this.#say("needed", forbidden ? fill(texts.needed, { n: bare.join(", ") }) : "");
    need("[value=finish]", this.#dialog).hidden = forbidden;
    this.#dialog.returnValue = "";
    this.#dialog.showModal();
  }

  #say(name: string, sentence: string): void {
    const place = need(`[data-fact=${name}]`, this.#dialog);
    place.textContent = sentence;
    place.hidden = !sentence;
  }
}
