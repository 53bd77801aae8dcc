// Store of fetched peaks and tiles: bounded by bytes, most urgent request first, fetched again while the recording is prepared.
import { LONGEST_PAUSE_MS, Problem, pauseAfter } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import type { Remote } from "./remote.ts";

interface Kept<V> {
  value: V;
  bytes: number;
}

/** Least recently used goes first. `release` frees what the garbage collector frees too late, such as canvases. */
export class ByteCache<V> {
  readonly #kept = new Map<string, Kept<V>>();
  readonly #limit: number;
  readonly #release: (value: V) => void;
  #bytes = 0;

  constructor(limitBytes: number, release: (value: V) => void = () => {}) {
    this.#limit = limitBytes;
    this.#release = release;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#kept.size;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  keys(): string[] {
    return [...this.#kept.keys()];
  }

  /** Look without counting it as a use. */
  peek(key: string): V | undefined {
    return this.#kept.get(key)?.value;
  }

  get(key: string): V | undefined {
    const kept = this.#kept.get(key);
    if (!kept) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.value;
  }

  set(key: string, value: V, bytes: number): void {
    this.delete(key);
    this.#kept.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#limit || oldest === key) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const kept = this.#kept.get(key);
    if (!kept) return;
    this.#kept.delete(key);
    this.#bytes -= kept.bytes;
    this.#release(kept.value);
  }

  clear(): void {
    for (const key of [...this.#kept.keys()]) this.delete(key);
  }
}

const AT_ONCE = 4;

interface Failure {
  count: number;
  waiting: boolean;
}

interface LoaderParts {
  scope: Scope;
  /** Fetch and keep one thing; the signal aborts when it is no longer wanted. */
  load(key: string, signal: AbortSignal): Promise<void>;
  /** Something arrived, or failed for now. */
  changed(): void;
  /** How long to wait after so many failures, where a test says. */
  pause?: (failures: number) => number;
}

/** Fetches in the order of need. A new list of needs replaces the old one; a failure is tried again after growing pauses. */
export class Loader {
  readonly #parts: LoaderParts;
  readonly #running = new Map<string, AbortController>();
  readonly #failures = new Map<string, Failure>();
  #wanted: readonly string[] = [];

  constructor(parts: LoaderParts) {
    this.#parts = parts;
    parts.scope.own(() => this.want([]));
  }

  get running(): number {
    return this.#running.size;
  }

  /** Whether anything that is wanted now has failed and waits for its next attempt. */
  get failing(): boolean {
    return this.#wanted.some((key) => this.#failures.has(key));
  }

  failed(key: string): boolean {
    return this.#failures.has(key);
  }

  want(keys: readonly string[]): void {
    this.#wanted = keys;
    const still = new Set(keys);
    for (const [key, controller] of this.#running) if (!still.has(key)) controller.abort();
    this.#start();
  }

  #start(): void {
    for (const key of this.#wanted) {
      if (this.#running.size >= AT_ONCE || this.#parts.scope.disposed) return;
      if (this.#running.has(key) || this.#failures.get(key)?.waiting) continue;
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    const controller = new AbortController();
    this.#running.set(key, controller);
    try {
      await this.#parts.load(key, controller.signal);
      this.#failures.delete(key);
      this.#wanted = this.#wanted.filter((wanted) => wanted !== key);
    } catch (error) {
      if (!controller.signal.aborted) this.#fail(key, error);
    } finally {
      this.#running.delete(key);
    }
    if (this.#parts.scope.disposed) return;
    if (!controller.signal.aborted) this.#parts.changed();
    this.#start();
  }

  #fail(key: string, error: unknown): void {
    const lasting = error instanceof Problem && !error.passing;
    const failure = { count: (this.#failures.get(key)?.count ?? 0) + 1, waiting: true };
    const pauseMs = lasting ? LONGEST_PAUSE_MS : (this.#parts.pause ?? pauseAfter)(failure.count);
    this.#failures.set(key, failure);
    this.#parts.scope.after(pauseMs, () => {
      failure.waiting = false;
      this.#start();
    });
  }
}

export interface DataStoreParts {
  scope: Scope;
  remote: Remote;
  /** Something new can be drawn. */
  changed(): void;
}

interface Piece {
  /** False while the recording is still being prepared. */
  complete: boolean;
}

interface Kind<V extends Piece> {
  limitBytes: number;
  fetch(key: string, signal: AbortSignal): Promise<V>;
  byteCount(value: V): number;
  /** Frees what the garbage collector frees too late. */
  release?(value: V): void;
}

/** Store of one kind of data: bounded by bytes, and fetched again while it was incomplete. */
export class DataStore<V extends Piece> {
  readonly #kind: Kind<V>;
  readonly #cache: ByteCache<V>;
  readonly #loader: Loader;
  readonly #stale = new Set<string>();

  constructor({ scope, changed }: Pick<DataStoreParts, "scope" | "changed">, kind: Kind<V>) {
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
    signal.throwIfAborted(); // no longer wanted, and the store may be disposed
    this.#stale.delete(key);
    this.#cache.set(key, value, this.#kind.byteCount(value));
  }
}
