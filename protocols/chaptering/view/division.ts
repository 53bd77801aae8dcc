// Division of a recording into chapters, and its editing with undo. Pure; nothing snaps to anything.

import { History } from "../../../frontend/src/workspace/history.ts";
import type { Payload } from "./contract.ts";

interface Mark {
  readonly id: string;
  readonly atS: number;
  readonly title: string;
}

/** Marks in the order of time, each at a millisecond of its own inside the recording. */
export interface Division {
  readonly opening: string;
  readonly marks: readonly Mark[];
}

export const LONGEST_TITLE = 300;
/** The first chapter, which has no mark. */
export const OPENING = "opening";

/** Milliseconds are finer than anybody hears a chapter begin, and exact in what is sent. */
const toMs = (seconds: number) => Math.round(seconds * 1000);

export function divisionOf({ opening = "", boundaries = [] }: Partial<Payload>): Division {
  return { opening, marks: boundaries.map(({ at_s, title }, index) => ({ id: `m${index + 1}`, atS: at_s, title })) };
}

export function boundariesOf({ marks }: Division): Payload["boundaries"] {
  return marks.map(({ atS, title }) => ({ at_s: atS, title }));
}

export function indexOf({ marks }: Division, id: string | null): number {
  return marks.findIndex((mark) => mark.id === id);
}

/** The number of the chapter that begins at a mark; the first chapter is 1 and has none. */
export function numberOf(division: Division, id: string | null): number {
  return indexOf(division, id) + 2;
}

function markAt({ marks }: Division, seconds: number): Mark | undefined {
  return marks.find((mark) => toMs(mark.atS) === toMs(seconds));
}

export function isInside(seconds: number, durationS: number): boolean {
  return toMs(seconds) > 0 && toMs(seconds) / 1000 < durationS;
}

/** The division with one mark more, and that mark; nothing where a boundary cannot lie or lies already. */
export function withMark(
  division: Division,
  seconds: number,
  durationS: number,
): { division: Division; id: string } | null {
  if (!isInside(seconds, durationS) || markAt(division, seconds)) return null;
  const id = freeId(division);
  return { division: sorted(division, [...division.marks, { id, atS: toMs(seconds) / 1000, title: "" }]), id };
}

/** The division with a mark elsewhere: no farther than the ends, and a millisecond on where another one lies. */
export function withMoved(division: Division, id: string, seconds: number, durationS: number): Division {
  const mark = division.marks[indexOf(division, id)];
  if (!mark) return division;
  const taken = new Set(division.marks.filter((other) => other !== mark).map(({ atS }) => toMs(atS)));
  const last = Math.ceil(durationS * 1000) - 1;
  const way = seconds < mark.atS ? -1 : 1;
  let at = Math.min(Math.max(toMs(seconds), 1), last);
  while (taken.has(at) && at + way >= 1 && at + way <= last) at += way;
  if (taken.has(at) || at === toMs(mark.atS)) return division;
  return sorted(
    division,
    division.marks.map((other) => (other === mark ? { ...mark, atS: at / 1000 } : other)),
  );
}

export function without(division: Division, id: string): Division {
  return { ...division, marks: division.marks.filter((mark) => mark.id !== id) };
}

export function withTitle(division: Division, id: string, title: string): Division {
  const cut = title.slice(0, LONGEST_TITLE);
  if (id === OPENING) return { ...division, opening: cut };
  return { ...division, marks: division.marks.map((mark) => (mark.id === id ? { ...mark, title: cut } : mark)) };
}

/** The nearest mark before (-1) or after (1) a moment. */
export function nextTo({ marks }: Division, seconds: number, way: -1 | 1): Mark | undefined {
  if (way > 0) return marks.find(({ atS }) => toMs(atS) > toMs(seconds));
  return marks.findLast(({ atS }) => toMs(atS) < toMs(seconds));
}

/** The numbers of the chapters without a title. */
export function untitled({ opening, marks }: Division): number[] {
  return [opening, ...marks.map(({ title }) => title)].flatMap((title, index) => (title.trim() ? [] : [index + 1]));
}

function sorted(division: Division, marks: readonly Mark[]): Division {
  return { ...division, marks: marks.toSorted((one, other) => one.atS - other.atS) };
}

function freeId({ marks }: Division): string {
  return `m${1 + Math.max(0, ...marks.map(({ id }) => Number(id.slice(1))))}`;
}

export type Said =
  | "marked"
  | "moved"
  | "removed"
  | "chosen_is"
  | "chosen_none"
  | "taken"
  | "no_place"
  | "none_before"
  | "none_after"
  | "undone"
  | "redone";

/** What to say about it: a sentence, and the chapter and moment that it speaks of. */
export interface Outcome {
  says: Said;
  n: number;
  atS: number;
  changed: boolean;
}

/** Editor of a division: its marks, the chosen one, and undo. It knows nothing of the page. */
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

  #goBack(went: boolean, says: Said): Outcome | null {
    if (!this.mark && this.#chosen !== OPENING) this.#chosen = null;
    return went ? this.#say(says, true) : null;
  }

  #say(says: Said, changed = false): Outcome {
    return { says, n: numberOf(this.division, this.#chosen), atS: this.mark?.atS ?? 0, changed };
  }
}
