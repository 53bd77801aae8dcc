// SHA-256 of every piece and of the whole file, computed in a worker.
import { sha256 } from "@noble/hashes/sha2.js";
import type { Scope } from "../lib/scope.ts";
import { Unreadable } from "./droppedFiles.ts";

export interface Digested {
  /** Of the piece, in base64. */
  piece: string;
  /** Of the whole file, in base64, once its last byte was seen. */
  whole: string | null;
}

const STEP_BYTES = 4 * 1024 * 1024;

class Running {
  readonly #hash = sha256.create();
  /** So many bytes from the beginning are in. */
  #seen = 0;
  #whole: string | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  /** One at a time: a piece that was given up may still be read when it is asked for again. */
  of(file: Blob, start: number, end: number): Promise<Digested> {
    const turn = this.#turn.then(() => this.#digest(file, start, end));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #digest(file: Blob, start: number, end: number): Promise<Digested> {
    // After a reload the beginning is on the server already, but has not been seen here.
    while (this.#seen < start) await this.#take(file, this.#seen, Math.min(start, this.#seen + STEP_BYTES));
    const bytes = await read(file, start, end);
    if (end > this.#seen) {
      this.#hash.update(bytes.subarray(this.#seen - start));
      this.#seen = end;
    }
    if (this.#seen === file.size) this.#whole ??= base64(this.#hash.digest());
    return { piece: base64(await digestOf(bytes)), whole: this.#whole };
  }

  async #take(file: Blob, start: number, end: number): Promise<void> {
    this.#hash.update(await read(file, start, end));
    this.#seen = end;
  }
}

/** SHA-256 of every piece and, along the way, of the whole file, however often pieces are sent again. */
export class Digests {
  readonly #running = new Map<string, Running>();

  of(key: string, file: Blob, start: number, end: number): Promise<Digested> {
    const running = this.#running.get(key) ?? new Running();
    this.#running.set(key, running);
    return running.of(file, start, end);
  }

  forget(key: string): void {
    this.#running.delete(key);
  }
}

async function read(file: Blob, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await file.slice(start, end).arrayBuffer());
}

/** The browser's own is faster, but it has it only where the connection is safe. */
async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (globalThis.crypto?.subtle) return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return sha256(bytes);
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

export type Ask = { id: number; key: string; file: Blob; start: number; end: number } | { forget: string };
export type Answer = { id: number; digested?: Digested; error?: string };

interface Waiting {
  path: string;
  resolve: (digested: Digested) => void;
  reject: (problem: Error) => void;
}

/** Client of the hashing worker (pages/hashing.ts), so that the page stays responsive while gigabytes are read. */
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

  /** Its program did not arrive, or it broke down. All waiting requests fail; the next one starts a new worker. */
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
