// Autosave of a page: a step soon after the last change, after a while during changes, and at once when the page is left.
import type { Scope } from "../lib/scope.ts";
import type { WorkspaceHost } from "../trial/contract.ts";

/** How long after the last change of each kind the step is made, in milliseconds. */
const REST_MS = { act: 400, text: 1000, heard: 3000 } as const;
/** How long a step can be postponed by further changes. */
export const LONGEST_MS = 20_000;

type Change = keyof typeof REST_MS;

interface Pending {
  sinceMs: number;
  /** Only heard so far, and nothing done. */
  heard: boolean;
}

export class Autosave {
  readonly #scope: Scope;
  readonly #host: Pick<WorkspaceHost, "changing">;
  readonly #keep: () => void;
  #pending: Pending | null = null;
  #cancel = () => {};
  #settled: (() => void) | null = null; // of a change that was made, and not only heard

  constructor(scope: Scope, host: Pick<WorkspaceHost, "changing">, keep: () => void) {
    this.#scope = scope;
    this.#host = host;
    this.#keep = keep;
    scope.own(() => this.drop());
    scope.listen(window, "pagehide", () => this.flush());
    scope.listen(document, "visibilitychange", () => {
      if (document.visibilityState === "hidden") this.flush();
    });
  }

  /** What goes on postpones the step, but what is only heard never postpones what was done. */
  soon(change: Change): void {
    const heard = change === "heard";
    if (heard && this.#pending && !this.#pending.heard) return;
    const sinceMs = this.#pending?.sinceMs ?? performance.now();
    this.#pending = { sinceMs, heard };
    if (!heard) this.#settled ??= this.#host.changing();
    this.#cancel();
    const leftMs = Math.max(sinceMs + LONGEST_MS - performance.now(), 0);
    this.#cancel = this.#scope.after(Math.min(REST_MS[change], leftMs), () => this.flush());
  }

  /** The page is closed with a whole answer: no step is left to make. */
  drop(): void {
    this.#cancel();
    this.#pending = null;
    this.#settled?.();
    this.#settled = null;
  }

  /** Make the step now, if one is due. */
  flush(): void {
    if (!this.#pending) return;
    const settled = this.#settled;
    this.#settled = null;
    this.drop();
    this.#keep();
    settled?.(); // not sooner: as a step it is not saved either
  }
}
