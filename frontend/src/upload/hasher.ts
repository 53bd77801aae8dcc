// Asks the worker (pages/hashing.ts) for digests, so that the page stays at hand while gigabytes are read.
import type { Scope } from "../lib/scope.ts";
import type { Digested } from "./digesting.ts";

export type Ask = { id: number; key: string; file: Blob; start: number; end: number } | { forget: string };
export type Answer = { id: number; digested?: Digested; error?: string };

/** The file cannot be read any more: moved, changed, or its disk is gone. */
export class Unreadable extends Error {}

interface Waiting {
  resolve: (digested: Digested) => void;
  reject: (problem: Error) => void;
}

export class Hasher {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  constructor(url: string, scope: Scope) {
    this.#worker = new Worker(url, { type: "module" });
    scope.own(() => this.#worker.terminate());
    scope.listen<MessageEvent<Answer>>(this.#worker, "message", ({ data }) => this.#hear(data));
  }

  of(key: string, file: Blob, start: number, end: number): Promise<Digested> {
    this.#count += 1;
    const ask: Ask = { id: this.#count, key, file, start, end };
    return new Promise((resolve, reject) => {
      this.#waiting.set(ask.id, { resolve, reject });
      this.#worker.postMessage(ask);
    });
  }

  forget(key: string): void {
    this.#worker.postMessage({ forget: key } satisfies Ask);
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.digested) waiting?.resolve(answer.digested);
    else waiting?.reject(new Unreadable(answer.error));
  }
}
