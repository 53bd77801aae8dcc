// The pages ahead: what the server says comes next, less what was answered here and is still on its way. Pure.
import type { Json, VoteEvent } from "../outbox/events.ts";
import type { TrialPage } from "./contract.ts";

/** A page as it stands here: with the newest step that the server may not have yet. */
export function asOf(page: TrialPage, waiting: readonly VoteEvent[]): TrialPage {
  const newest = waiting.filter((event) => event.trial === page.trial && event.revision >= page.revision).at(-1);
  return newest ? { ...page, draft: newest.payload, revision: newest.revision + 1 } : page;
}

export class TrialQueue {
  #pages: TrialPage[] = [];
  readonly #answered = new Set<string>();

  get pages(): readonly TrialPage[] {
    return this.#pages;
  }

  get first(): TrialPage | undefined {
    return this.#pages[0];
  }

  find(trial: string): TrialPage | undefined {
    return this.#pages.find((page) => page.trial === trial);
  }

  /** Take the server's list as the truth, except for answers that it does not know yet. */
  merge(pages: readonly TrialPage[]): void {
    this.#pages = pages.filter((page) => !this.#answered.has(page.trial));
  }

  /** A page was worked on, here or from another page: it goes on from that step. */
  stepped({ trial, revision }: TrialPage, draft: Json): void {
    this.#pages = this.#pages.map((page) => (page.trial === trial ? { ...page, draft, revision: revision + 1 } : page));
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
