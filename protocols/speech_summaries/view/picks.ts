// Which words are picked, and the way back to every earlier choice. Pure.

export class Picks {
  readonly #words: number;
  #now: ReadonlySet<number>;
  #done: ReadonlySet<number>[] = [];
  #undone: ReadonlySet<number>[] = [];

  /** Of so many words, those at these positions (from 1) are picked. */
  constructor(words: number, picked: readonly number[] = []) {
    this.#words = words;
    this.#now = new Set(picked.filter((position) => this.#exists(position)));
  }

  /** In the order of the transcript, which nobody can change. */
  get positions(): number[] {
    return [...this.#now].sort((one, other) => one - other);
  }

  get count(): number {
    return this.#now.size;
  }

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  has(position: number): boolean {
    return this.#now.has(position);
  }

  toggle(position: number): void {
    this.set([position], !this.has(position));
  }

  /** Pick all of them, or let all of them go, as one step. */
  set(positions: readonly number[], picked: boolean): void {
    const next = new Set(this.#now);
    for (const position of positions.filter((each) => this.#exists(each))) {
      if (picked) next.add(position);
      else next.delete(position);
    }
    this.#make(next);
  }

  /** Pick what is missing of a sentence; where nothing is missing, let all of it go. */
  toggleAll(positions: readonly number[]): void {
    this.set(positions, !positions.every((position) => this.has(position)));
  }

  clear(): void {
    this.#make(new Set());
  }

  undo(): boolean {
    return this.#go(this.#done, this.#undone);
  }

  redo(): boolean {
    return this.#go(this.#undone, this.#done);
  }

  #exists(position: number): boolean {
    return Number.isInteger(position) && position >= 1 && position <= this.#words;
  }

  #make(next: ReadonlySet<number>): void {
    if (next.size === this.#now.size && [...next].every((position) => this.#now.has(position))) return;
    this.#done.push(this.#now);
    this.#undone = [];
    this.#now = next;
  }

  #go(from: ReadonlySet<number>[], to: ReadonlySet<number>[]): boolean {
    const next = from.pop();
    if (!next) return false;
    to.push(this.#now);
    this.#now = next;
    return true;
  }
}

/** By how many words a summary is too short (negative) or too long (positive); 0 where it fits. */
export function missedBy(count: number, { least, most }: { least: number; most: number }): number {
  if (count < least) return count - least;
  return Math.max(count - most, 0);
}
