// Picked words of a transcript with undo, and how words read when joined. Pure.
import { History } from "../../../frontend/src/workspace/history.ts";

// Scripts that put no spaces between words.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー、。「」]/u;
const CLINGS_LEFT = /^[\p{Pe}\p{Pf}.,;:!?…%)\]]+$/u;
const ENDS_SENTENCE = /[.!?…。！？]["'”’)\]»]*$/u;

/** As it would be written: a space between words, except in scripts that have none and before closing signs. */
export function joined(words: readonly string[]): string {
  return words.reduce((text, word) => text + (text && isSpaced(text, word) ? " " : "") + word, "");
}

function isSpaced(before: string, word: string): boolean {
  if (CLINGS_LEFT.test(word)) return false;
  return !(UNSPACED.test([...before].at(-1) ?? "") && UNSPACED.test([...word][0] ?? ""));
}

/** The positions, from 1, of the sentence that a word belongs to: up to the next full stop, question or exclamation mark. */
export function sentenceAround(words: readonly string[], position: number): number[] {
  const isEnd = (place: number) => ENDS_SENTENCE.test(words[place - 1] ?? "");
  let first = position;
  while (first > 1 && !isEnd(first - 1)) first -= 1;
  let last = position;
  while (last < words.length && !isEnd(last)) last += 1;
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** Picked words, with undo. Pure. */
export class Picks {
  readonly #words: number;
  readonly #history: History<ReadonlySet<number>>;

  /** Of so many words, those at these positions (from 1) are picked. */
  constructor(words: number, picked: readonly number[] = []) {
    this.#words = words;
    this.#history = new History(new Set(picked.filter((position) => this.#exists(position))));
  }

  /** In the order of the transcript. */
  get positions(): number[] {
    return [...this.#now].sort((one, other) => one - other);
  }

  get count(): number {
    return this.#now.size;
  }

  get #now(): ReadonlySet<number> {
    return this.#history.now;
  }

  get canUndo(): boolean {
    return this.#history.canUndo;
  }

  get canRedo(): boolean {
    return this.#history.canRedo;
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
    return this.#history.undo();
  }

  redo(): boolean {
    return this.#history.redo();
  }

  #exists(position: number): boolean {
    return Number.isInteger(position) && position >= 1 && position <= this.#words;
  }

  #make(next: ReadonlySet<number>): void {
    if (next.size === this.#now.size && [...next].every((position) => this.#now.has(position))) return;
    this.#history.make(next);
  }
}

/** By how many words a summary is too short (negative) or too long (positive); 0 where it fits. */
export function missedBy(count: number, { least, most }: { least: number; most: number }): number {
  if (count < least) return count - least;
  return Math.max(count - most, 0);
}
