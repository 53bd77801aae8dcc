// Asks the worker (pages/hashing.ts) for digests, so that the page stays at hand while gigabytes are read.
import type { Scope } from "../lib/scope.ts";
import type { Digested } from "./digesting.ts";
import { Unreadable } from "./entries.ts";

export type Ask = { id: number; key: string; file: Blob; start: number; end: number } | { forget: string };
export type Answer = { id: number; digested?: Digested; error?: string };

interface Waiting {
  path: string;
  resolve: (digested: Digested) => void;
  reject: (problem: Error) => void;
}

export class Hasher {
  readonly #url: string;
  readonly #scope: Scope;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #count = 0;

  constructor(url: string, scope: Scope) {
    this.#url = url;
    this.#scope = scope;
    this.#worker = this.#hire();
  }

  /** Digests of a piece of the file at a path; fails with Unreadable if it is the file that fails. */
  of(path: string, file: Blob, start: number, end: number): Promise<Digested> {
    this.#count += 1;
    const ask: Ask = { id: this.#count, key: path, file, start, end };
    return new Promise((resolve, reject) => {
      this.#waiting.set(ask.id, { path, resolve, reject });
      this.#worker ??= this.#hire();
      this.#worker.postMessage(ask);
    });
  }

  forget(path: string): void {
    this.#worker?.postMessage({ forget: path } satisfies Ask);
  }

  #hire(): Worker {
    const worker = new Worker(this.#url, { type: "module" });
    const scope = this.#scope.child();
    scope.own(() => worker.terminate());
    scope.listen<MessageEvent<Answer>>(worker, "message", ({ data }) => this.#hear(data));
    scope.listen(worker, "error", () => {
      scope.dispose();
      this.#lose();
    });
    return worker;
  }

  /** Its program did not arrive, or it broke down. Whoever waits is told, asks again, and gets a new worker. */
  #lose(): void {
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Error("the worker is gone"));
  }

  #hear(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    if (!waiting) return;
    this.#waiting.delete(answer.id);
    if (answer.digested) waiting.resolve(answer.digested);
    else waiting.reject(new Unreadable(waiting.path, answer.error));
  }
}
