// Every state of something, back to the beginning and forth again.

export class History<T> {
  #now: T;
  #done: T[] = [];
  #undone: T[] = [];
  /** What the last step was about: the same again goes on with it. */
  #about = "";

  constructor(start: T) {
    this.#now = start;
  }

  get now(): T {
    return this.#now;
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** Make a step. Steps in a row that are about the same are undone at once; no `about` stands alone. */
  make(next: T, about = ""): void {
    if (next === this.#now) return;
    if (!about || about !== this.#about) this.#done.push(this.#now);
    this.#about = about;
    this.#undone = [];
    this.#now = next;
  }

  /** The next step is another one, whatever it is about. */
  rest(): void {
    this.#about = "";
  }

  undo(): boolean {
    return this.#go(this.#done, this.#undone);
  }

  redo(): boolean {
    return this.#go(this.#undone, this.#done);
  }

  #go(from: T[], to: T[]): boolean {
    const next = from.pop();
    if (next === undefined) return false;
    to.push(this.#now);
    this.#now = next;
    this.rest();
    return true;
  }
}
