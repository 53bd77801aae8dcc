// The pages ahead: what the server says comes next, less what was answered here and is still on its way. Pure.
import type { TrialPage } from "./contract.ts";

export class TrialQueue {
  #pages: TrialPage[] = [];
  readonly #answered = new Set<string>();

  get pages(): readonly TrialPage[] {
    return this.#pages;
  }

  get first(): TrialPage | undefined {
    return this.#pages[0];
  }

  /** Take the server's list as the truth, except for answers that it does not know yet. */
  merge(pages: readonly TrialPage[]): void {
    this.#pages = pages.filter((page) => !this.#answered.has(page.trial));
  }

  markAnswered(trial: string): void {
    this.#answered.add(trial);
    this.#pages = this.#pages.filter((page) => page.trial !== trial);
  }

  /** The clip failed: the server says with its next list when it comes again, if it does. */
  postpone(trial: string): void {
    this.#pages = this.#pages.filter((page) => page.trial !== trial);
  }

  /** The server would not take the answer: the trial comes again with the next list. */
  reopen(trial: string): void {
    this.#answered.delete(trial);
  }
}
