// Undo history, and the keys of undo and redo.

export type UndoKey = "undo" | "redo";

/** Undo or redo, by the letter and not by its place on the keyboard, because layouts exchange Z and Y. */
export function undoKey(
  stroke: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): UndoKey | null {
  if (!(stroke.ctrlKey || stroke.metaKey) || stroke.altKey) return null;
  const letter = stroke.key.toLowerCase();
  if (letter === "z") return stroke.shiftKey ? "redo" : "undo";
  return letter === "y" && !stroke.shiftKey ? "redo" : null;
}

/** All states but the present one; enough to go on with undo and redo after the page was loaded again. */
export interface Trail<T> {
  done: T[];
  now: T;
  undone: T[];
}

/** Undo history of immutable states. */
export class History<T> {
  #trail: Trail<T>;
  /** What the last step was about: the next one about the same joins it. */
  #about = "";

  constructor(start: T) {
    this.#trail = { done: [], now: start, undone: [] };
  }

  get now(): T {
    return this.#trail.now;
  }

  get trail(): Trail<T> {
    return this.#trail;
  }

  get canUndo(): boolean {
    return this.#trail.done.length > 0;
  }

  get canRedo(): boolean {
    return this.#trail.undone.length > 0;
  }

  /** Make a step. Steps in a row about the same are undone together; a step without `about` stands alone. */
  make(next: T, about = ""): void {
    if (next === this.now) return;
    if (!about || about !== this.#about) this.#trail.done.push(this.now);
    this.amend(next);
    this.#about = about;
  }

  /** Go on with the last step instead of making another one. */
  amend(next: T): void {
    this.#trail.undone = [];
    this.#trail.now = next;
  }

  /** The next step stands alone, whatever it is about. */
  rest(): void {
    this.#about = "";
  }

  undo(): boolean {
    return this.#go(this.#trail.done, this.#trail.undone);
  }

  redo(): boolean {
    return this.#go(this.#trail.undone, this.#trail.done);
  }

  resume({ done, now, undone }: Trail<T>): void {
    this.#trail = { done: [...done], now, undone: [...undone] };
  }

  #go(from: T[], to: T[]): boolean {
    if (!from.length) return false;
    to.push(this.now);
    this.#trail.now = from.pop() as T;
    this.rest();
    return true;
  }
}
