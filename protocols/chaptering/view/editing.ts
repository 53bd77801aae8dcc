// What is done to a division: the marks, the one that is chosen, and the way back. Nothing here touches the page.
import {
  type Division,
  indexOf,
  isInside,
  type Mark,
  markAt,
  nextTo,
  numberOf,
  OPENING,
  withMark,
  withMoved,
  without,
  withTitle,
} from "./division.ts";
import { History } from "./history.ts";
import type { ChaptersTexts } from "./texts.ts";

/** What to say about it: a sentence, and the chapter and moment that it speaks of. */
export interface Outcome {
  says: keyof ChaptersTexts;
  n: number;
  atS: number;
  changed: boolean;
}

export class Editing {
  readonly #history: History<Division>;
  readonly #durationS: () => number;
  #chosen: string | null = null;

  constructor(division: Division, durationS: () => number) {
    this.#history = new History(division);
    this.#durationS = durationS;
  }

  get division(): Division {
    return this.#history.now;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
  }

  /** The chapter that keys and buttons are about: of a mark, or the first one, which has none. */
  get chosen(): string | null {
    return this.#chosen;
  }

  get mark(): Mark | undefined {
    return this.division.marks[indexOf(this.division, this.#chosen)];
  }

  choose(id: string | null): void {
    this.#chosen = id;
  }

  addAt(atS: number): Outcome {
    const there = markAt(this.division, atS);
    if (there) {
      this.#chosen = there.id;
      return this.#say("taken");
    }
    const made = withMark(this.division, atS, this.#durationS());
    if (!made) return this.#say("no_place");
    this.#history.make(made.division);
    this.#chosen = made.id;
    return this.#say("marked", true);
  }

  /** Choose the mark before or after the chosen one, or a moment where none is chosen. */
  step(fromS: number, way: -1 | 1): Outcome {
    const next = nextTo(this.division, this.mark?.atS ?? fromS, way);
    if (!next) return this.#say(way < 0 ? "none_before" : "none_after");
    this.#chosen = next.id;
    return this.#say("chosen_is");
  }

  /** Moves in a row that are `held` are undone at once. */
  moveTo(id: string, seconds: number, held = false): Outcome {
    const before = this.division;
    this.#history.make(withMoved(before, id, seconds, this.#durationS()), held ? `held ${id}` : "");
    this.#chosen = id;
    return this.#say("moved", this.division !== before);
  }

  /** Put the chosen mark where the cursor is. */
  moveHere(atS: number): Outcome {
    if (!this.mark) return this.#say("chosen_none");
    return isInside(atS, this.#durationS()) ? this.moveTo(this.mark.id, atS) : this.#say("no_place");
  }

  remove(id: string | null): Outcome {
    const mark = this.division.marks[indexOf(this.division, id)];
    if (!mark) return this.#say("chosen_none");
    this.#history.make(without(this.division, mark.id));
    this.#chosen = null;
    return { says: "removed", n: 0, atS: mark.atS, changed: true };
  }

  /** Letters in a row in one field are undone at once. */
  retitle(id: string, title: string): void {
    this.#history.make(withTitle(this.division, id, title), `title ${id}`);
  }

  /** The hand rests: what comes is another step. */
  rest(): void {
    this.#history.rest();
  }

  undo(): Outcome | null {
    return this.#goBack(this.#history.undo(), "undone");
  }

  redo(): Outcome | null {
    return this.#goBack(this.#history.redo(), "redone");
  }

  #goBack(went: boolean, says: keyof ChaptersTexts): Outcome | null {
    if (!this.mark && this.#chosen !== OPENING) this.#chosen = null;
    return went ? this.#say(says, true) : null;
  }

  #say(says: keyof ChaptersTexts, changed = false): Outcome {
    return { says, n: numberOf(this.division, this.#chosen), atS: this.mark?.atS ?? 0, changed };
  }
}
