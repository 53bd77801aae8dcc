// Answers of a questionnaire on their way to the server: kept on this device until the server has them.

export type Answer = string | string[];

/** The part of the browser's storage that is used; it may fail, as in a private window. */
export type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** What was answered and not yet acknowledged, the newest answer to each question; it survives a reload. */
export class UnsentAnswers {
  readonly #kept: Kept | null;
  readonly #name: string;
  readonly #answers: Map<string, Answer>;

  constructor(name: string, kept: Kept | null) {
    this.#kept = kept;
    this.#name = `earmark-questions ${name}`;
    this.#answers = new Map(this.#read());
  }

  get size(): number {
    return this.#answers.size;
  }

  get first(): [string, Answer] | undefined {
    return this.#answers.entries().next().value;
  }

  entries(): [string, Answer][] {
    return [...this.#answers];
  }

  put(question: string, answer: Answer): void {
    this.#answers.set(question, answer);
    this.#write();
  }

  /** The server has this answer, or will never take it; a newer one to the same question stays. */
  settle(question: string, answer: Answer): void {
    if (JSON.stringify(this.#answers.get(question)) === JSON.stringify(answer)) this.#answers.delete(question);
    this.#write();
  }

  #read(): [string, Answer][] {
    try {
      return Object.entries(JSON.parse(this.#kept?.getItem(this.#name) ?? "{}") as Record<string, Answer>);
    } catch {
      return [];
    }
  }

  #write(): void {
    try {
      if (this.#answers.size) this.#kept?.setItem(this.#name, JSON.stringify(Object.fromEntries(this.#answers)));
      else this.#kept?.removeItem(this.#name);
    } catch {
      // Storage is full or not allowed: the page then only has what the server has.
    }
  }
}
