// Maker's page: words of a transcript as toggles in their order, a counter, and the summary read back above Next.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { type UndoKey, undoKey } from "../../../frontend/src/workspace/history.ts";
import { draftOf, type MakerPage, type Picked, pageOf, wordsOf } from "./contract.ts";
import { PageMoves } from "./moves.ts";
import { joined, missedBy, Picks, sentenceAround } from "./picks.ts";
import { Sound } from "./sound.ts";

interface RowActs {
  changed: () => void;
  /** Pick the sentence of a word, or let it go. */
  sentence: (position: number) => void;
}

/** The words of a transcript as a wrapping row of toggle buttons with one place in the Tab order. */
class WordRow {
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
      this.#brush = this.#picks.has(position); // going on with Shift does the same to more words
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

/** A maker's page: words of a transcript as toggles in their order, a counter, and the summary read back above Next. */
export class Making {
  readonly #root: HTMLElement;
  readonly #page: MakerPage;
  readonly #words: string[];
  readonly #picks: Picks;
  readonly #sound: Sound;
  readonly #moves: PageMoves;
  readonly #row: WordRow;
  readonly #part: <E extends HTMLElement = HTMLElement>(name: string) => E;

  constructor(root: HTMLElement, shown: ShownPage, host: WorkspaceHost, scope: Scope) {
    const draft = draftOf<Picked>(shown);
    this.#root = root;
    this.#part = (name) => need(`[data-part=${name}]`, root);
    this.#page = pageOf(shown) as MakerPage;
    this.#words = wordsOf(shown);
    this.#picks = new Picks(this.#words.length, draft.picked);
    this.#sound = new Sound({
      root,
      page: shown,
      host,
      scope,
      plays: draft.listened?.plays ?? 0,
      onPlay: () => this.#moves.changed(),
    });
    this.#row = new WordRow(this.#part("words"), this.#words, this.#picks, scope, {
      changed: () => this.#changed(),
      sentence: (position) => this.#picks.toggleAll(sentenceAround(this.#words, position)),
    });
    this.#moves = new PageMoves({
      root,
      page: shown,
      host,
      scope,
      sound: () => this.#sound,
      answer: () => ({ picked: this.#picks.positions }),
      lacks: () => this.#lacks(),
    });
    this.#wire(shown, scope);
    this.#show();
  }

  /** Where the keyboard begins. */
  focus(): void {
    this.#row.focus();
  }

  resume(): void {
    this.focus();
  }

  #wire(shown: ShownPage, scope: Scope): void {
    scope.listen(this.#part("undo"), "click", () => this.#step("undo"));
    scope.listen(this.#part("redo"), "click", () => this.#step("redo"));
    scope.listen(this.#part("clear"), "click", () => this.#clear());
    scope.listen<KeyboardEvent>(this.#root, "keydown", (event) => {
      const way = undoKey(event);
      if (!way) return;
      event.preventDefault();
      this.#step(way);
    });
    shown.keys.on(scope, ({ key }) => {
      if (key.toLowerCase() !== "l") return false;
      this.#sound.toggle();
      return true;
    });
  }

  #step(way: UndoKey): void {
    if (this.#picks[way]()) this.#changed();
    else this.#say(way === "undo" ? gettext("There is nothing to undo.") : gettext("There is nothing to redo."));
  }

  #clear(): void {
    if (this.#picks.count === 0) this.#say(gettext("No words chosen yet."));
    else {
      this.#picks.clear();
      this.#changed();
    }
  }

  #changed(): void {
    this.#say("");
    this.#show();
    this.#moves.changed();
  }

  #show(): void {
    const { count, positions } = this.#picks;
    const missed = missedBy(count, this.#page);
    this.#row.show();
    this.#part("counter").textContent = fill(gettext("Words: {n} ({range} needed)"), { n: count, range: this.#range });
    const verdict = this.#part("verdict");
    verdict.textContent = this.#verdict(missed);
    verdict.classList.toggle("pill--ok", missed === 0);
    verdict.classList.toggle("pill--warn", missed > 0);
    this.#drawMeter(count);
    const summary = joined(positions.map((position) => this.#words[position - 1] ?? ""));
    const readBack = this.#part("summary");
    readBack.classList.toggle("is-empty", missed < 0);
    readBack.classList.toggle("is-done", missed === 0);
    readBack.replaceChildren(summary || make("span", { class: "muted" }, gettext("No words chosen yet.")));
    this.#enable("undo", this.#picks.canUndo);
    this.#enable("redo", this.#picks.canRedo);
    this.#enable("clear", count > 0);
    this.#enable("finish", missed === 0);
    if (missed === 0) this.#say("");
  }

  /** Not `disabled`: the button keeps the focus, and a press still says why nothing happens. */
  #enable(part: string, can: boolean): void {
    this.#part(part).setAttribute("aria-disabled", String(!can));
  }

  /** "10–12", or one number where only one will do. */
  get #range(): string {
    const { least, most } = this.#page;
    return least === most ? String(least) : `${least}–${most}`;
  }

  #say(sentence: string): void {
    this.#part("missing").textContent = sentence;
  }

  #verdict(missed: number): string {
    if (missed === 0) return gettext("Done");
    return fill(missed < 0 ? gettext("{n} more") : gettext("{n} too many"), { n: Math.abs(missed) });
  }

  /** Why Next does nothing yet. */
  #reason(missed: number): string {
    const n = Math.abs(missed);
    const sentence =
      missed < 0
        ? ngettext("Choose {n} more word ({range} in all).", "Choose {n} more words ({range} in all).", n)
        : ngettext("Remove {n} word ({range} in all).", "Remove {n} words ({range} in all).", n);
    return fill(sentence, { n, range: this.#range });
  }

  /** A track as long as the transcript, with the range that a summary may have on it. */
  #drawMeter(count: number): void {
    const share = (words: number) => `${(100 * words) / Math.max(this.#words.length, 1)}%`;
    const { style } = this.#part("meter");
    style.setProperty("--picked", share(count));
    style.setProperty("--least", share(this.#page.least));
    style.setProperty("--most", share(this.#page.most));
  }

  /** Whether the length does not fit yet, after it was said by how much. */
  #lacks(): boolean {
    const missed = missedBy(this.#picks.count, this.#page);
    if (missed !== 0) this.#say(this.#reason(missed));
    return missed !== 0;
  }
}
