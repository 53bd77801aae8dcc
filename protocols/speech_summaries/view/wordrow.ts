// The words of a transcript as a wrapping row of toggle buttons with one place in the Tab order.
import { make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Picks } from "./picks.ts";

export interface RowActs {
  changed: () => void;
  /** Pick the sentence of a word, or let it go. */
  sentence: (position: number) => void;
}

export class WordRow {
  readonly #buttons: HTMLButtonElement[];
  readonly #picks: Picks;
  readonly #acts: RowActs;
  #at = 1; // the word that has the keyboard, or would get it
  #brush = true; // what Shift does to the words that it passes: to pick them, or to let them go

  constructor(root: HTMLElement, words: readonly string[], picks: Picks, scope: Scope, acts: RowActs) {
    this.#picks = picks;
    this.#acts = acts;
    this.#buttons = words.map((word) => make("button", { type: "button", class: "word", tabindex: "-1" }, word));
    // A space between them lets a copied transcript, and a screen reader, keep words apart.
    root.replaceChildren(...this.#buttons.flatMap((button) => [button, " "]));
    scope.listen<MouseEvent>(root, "click", (event) => this.#press(event));
    scope.listen<KeyboardEvent>(root, "keydown", (event) => this.#receive(event));
  }

  focus(): void {
    this.#buttons[this.#at - 1]?.focus();
  }

  show(): void {
    this.#buttons.forEach((button, index) => {
      button.setAttribute("aria-pressed", String(this.#picks.has(index + 1)));
      button.tabIndex = index + 1 === this.#at ? 0 : -1;
    });
  }

  #press(event: MouseEvent): void {
    const button = (event.target as Element).closest<HTMLButtonElement>("button.word");
    if (!button) return;
    const position = this.#buttons.indexOf(button) + 1;
    const byPointer = event.detail > 0;
    if (event.shiftKey && byPointer) {
      this.#picks.set(between(this.#at, position), this.#brush);
    } else {
      this.#picks.toggle(position);
      this.#brush = this.#picks.has(position); // whoever goes on with Shift does the same to more words
    }
    this.#at = position;
    this.#acts.changed();
  }

  #receive(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = this.#destination(event.key);
    if (event.key === "Enter") {
      if (!event.repeat) this.#acts.sentence(this.#at);
      this.#acts.changed();
    } else if (to === null) {
      return;
    } else if (event.shiftKey) {
      this.#picks.set(between(this.#at, to), this.#brush);
      this.#go(to);
      this.#acts.changed();
    } else {
      this.#brush = true;
      this.#go(to);
    }
    event.preventDefault();
  }

  #destination(key: string): number | null {
    const steps: Record<string, () => number> = {
      ArrowLeft: () => this.#at - 1,
      ArrowRight: () => this.#at + 1,
      ArrowUp: () => this.#beside(-1),
      ArrowDown: () => this.#beside(1),
      Home: () => 1,
      End: () => this.#buttons.length,
    };
    const to = steps[key]?.();
    return to === undefined ? null : Math.min(Math.max(to, 1), this.#buttons.length);
  }

  /** The word in the line above or below whose middle is nearest. */
  #beside(way: 1 | -1): number {
    const boxes = this.#buttons.map((button) => button.getBoundingClientRect());
    const here = boxes[this.#at - 1];
    if (!here) return this.#at;
    const middle = (box: DOMRect) => (box.left + box.right) / 2;
    const tops = [...new Set(boxes.map(({ top }) => top))].filter((top) => (top - here.top) * way > 1);
    const line = way > 0 ? Math.min(...tops) : Math.max(...tops);
    const distances = boxes.map((box) =>
      box.top === line ? Math.abs(middle(box) - middle(here)) : Number.POSITIVE_INFINITY,
    );
    const nearest = Math.min(...distances);
    return Number.isFinite(nearest) ? distances.indexOf(nearest) + 1 : this.#at;
  }

  #go(to: number): void {
    this.#at = to;
    this.show();
    this.focus();
  }
}

function between(one: number, other: number): number[] {
  const [first, last] = one < other ? [one, other] : [other, one];
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
