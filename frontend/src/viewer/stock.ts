// What has come of one kind of data and what is still wanted: kept within a bound, and fetched anew while it was incomplete.
import type { Scope } from "../lib/scope.ts";
import type { Remote } from "./remote.ts";
import { ByteCache, Loader } from "./tilecache.ts";

export interface StoreParts {
  scope: Scope;
  remote: Remote;
  /** Something new can be drawn. */
  changed(): void;
}

interface Piece {
  /** False while the recording is still being prepared. */
  complete: boolean;
}

export interface Kind<V extends Piece> {
  limitBytes: number;
  fetch(key: string, signal: AbortSignal): Promise<V>;
  byteCount(value: V): number;
  /** Frees what the garbage collector frees too late. */
  release?(value: V): void;
}

export class Stock<V extends Piece> {
  readonly #kind: Kind<V>;
  readonly #cache: ByteCache<V>;
  readonly #loader: Loader;
  readonly #stale = new Set<string>();

  constructor({ scope, changed }: Pick<StoreParts, "scope" | "changed">, kind: Kind<V>) {
    this.#kind = kind;
    this.#cache = new ByteCache<V>(kind.limitBytes, (value) => kind.release?.(value));
    this.#loader = new Loader({ scope, changed, load: (key, signal) => this.#load(key, signal) });
    scope.own(() => this.#cache.clear());
  }

  /** Whether anything that is wanted now has failed and waits for its next attempt. */
  get failing(): boolean {
    return this.#loader.failing;
  }

  failed(key: string): boolean {
    return this.#loader.failed(key);
  }

  has(key: string): boolean {
    return this.#cache.has(key);
  }

  /** Look without counting it as a use. */
  peek(key: string): V | undefined {
    return this.#cache.peek(key);
  }

  get(key: string): V | undefined {
    return this.#cache.get(key);
  }

  /** Fetch what of this is not here, the most urgent first; what is here counts as used. */
  want(keys: readonly string[]): void {
    this.#loader.want(keys.filter((key) => !this.#cache.get(key) || this.#stale.has(key)));
  }

  /** More of the recording is ready: what was incomplete is fetched again when it is next wanted, and serves until then. */
  refresh(): void {
    for (const key of this.#cache.keys()) if (!this.#cache.peek(key)?.complete) this.#stale.add(key);
  }

  async #load(key: string, signal: AbortSignal): Promise<void> {
    const value = await this.#kind.fetch(key, signal);
    signal.throwIfAborted(); // nobody wants it any more, and there may be nobody left to clear it away
    this.#stale.delete(key);
    this.#cache.set(key, value, this.#kind.byteCount(value));
  }
}
