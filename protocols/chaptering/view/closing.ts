// Closing a recording: what is there is told, what was not heard or named too, and only titles that are needed forbid it.
import { fill } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { ClosingDialog } from "../../../frontend/src/workspace/closing.ts";
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

  constructor(parts: ClosingParts) {
    this.#parts = parts;
    const { scope, root, finish } = parts;
    new ClosingDialog(scope, root, { tell: (dialog) => this.#tell(dialog), finish });
  }

  #tell(dialog: ClosingDialog): void {
    const { texts, titles, facts } = this.#parts;
    const { division, heardS, durationS } = facts();
    const count = division.marks.length + 1;
    const bare = titles === "none" ? [] : untitled(division);
    const forbidden = titles === "needed" && bare.length > 0;
    dialog.say({
      count: fill(count === 1 ? texts.count_one : texts.count, { n: count }),
      heard: fill(texts.heard, { heard: formatTime(heardS), total: formatTime(durationS) }),
      untitled: bare.length && !forbidden ? fill(texts.untitled, { n: bare.join(", ") }) : "",
      needed: forbidden ? fill(texts.needed, { n: bare.join(", ") }) : "",
    });
    dialog.go.hidden = forbidden;
  }
}
