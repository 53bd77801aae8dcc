// Sender of the queued files, two at a time, with retries after every failure that may pass.
import { pauseAfter } from "../lib/http.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import { type Recovery, recoveryOf, type Trouble } from "./errors.ts";
import type { Hasher } from "./hashing.ts";
import type { Row, UploadQueue } from "./queue.ts";
import type { Attempt } from "./tusHttpStack.ts";

const LANES = 2;

interface SenderParts {
  queue: UploadQueue;
  hasher: Pick<Hasher, "forget">;
  scope: Scope;
  /** Carries one file from where the server has it to its end. */
  attempt: (row: Row, file: File) => Attempt;
  /** Something on the rows has changed. */
  onChange: () => void;
  /** What keeps everything from moving, or null when it moves again. */
  onTrouble: (trouble: Trouble | null) => void;
  /** The server wants no more of this import. */
  onOver: () => void;
  /** Why a single file was given up. */
  explain: (row: Row, recovery: Extract<Recovery, { verdict: "failed" }>) => string;
  pause?: (failures: number) => number;
}

export class Sender {
  readonly #parts: SenderParts;
  readonly #wakeSignals: WakeSignal[];
  readonly #running = new Set<Attempt>();
  #halted = false;
  #over = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#wakeSignals = Array.from({ length: LANES }, () => new WakeSignal());
    for (const wakeSignal of this.#wakeSignals) void this.#work(wakeSignal);
    parts.scope.own(() => this.#abort());
  }

  get paused(): boolean {
    return this.#halted;
  }

  /** There is more to send, or the network is back. */
  wake(): void {
    for (const wakeSignal of this.#wakeSignals) wakeSignal.notify();
  }

  pause(): void {
    this.#halted = true;
    this.#abort();
    this.wake();
  }

  resume(): void {
    this.#halted = false;
    this.wake();
  }

  #abort(): void {
    for (const attempt of this.#running) attempt.abort();
  }

  get #stopped(): boolean {
    return this.#halted || this.#over || this.#parts.scope.disposed;
  }

  async #work(wakeSignal: WakeSignal): Promise<void> {
    const { scope, queue } = this.#parts;
    while (!scope.disposed) {
      const row = this.#stopped ? undefined : queue.next();
      if (row?.file) await this.#send(row, row.file, wakeSignal);
      else await wakeSignal.wait(scope);
    }
  }

  async #send(row: Row, file: File, wakeSignal: WakeSignal): Promise<void> {
    let failures = 0;
    while (!this.#stopped) {
      this.#show(row, "sending");
      const before = row.received;
      const problem = await this.#try(row, file);
      if (problem === null) return this.#finish(row);
      if (this.#stopped) break;
      const recovery = recoveryOf(problem);
      if (recovery.verdict !== "again") return this.#giveUp(row, recovery);
      failures = row.received > before ? 1 : failures + 1;
      await this.#rest(row, recovery, failures, wakeSignal);
    }
    this.#show(row, "waiting");
  }

  async #rest(
    row: Row,
    recovery: Extract<Recovery, { verdict: "again" }>,
    failures: number,
    wakeSignal: WakeSignal,
  ): Promise<void> {
    if (recovery.trouble) this.#parts.onTrouble(recovery.trouble);
    this.#show(row, "retrying");
    await wakeSignal.wait(this.#parts.scope, recovery.pauseMs ?? (this.#parts.pause ?? pauseAfter)(failures));
  }

  async #try(row: Row, file: File): Promise<unknown> {
    const attempt = this.#parts.attempt(row, file);
    this.#running.add(attempt);
    try {
      return await attempt.ended;
    } finally {
      this.#running.delete(attempt);
      row.underway = 0;
    }
  }

  #finish(row: Row): void {
    row.received = row.size;
    row.file = null;
    this.#parts.hasher.forget(row.path);
    this.#parts.onTrouble(null);
    this.#show(row, "done");
  }

  #giveUp(row: Row, recovery: Exclude<Recovery, { verdict: "again" }>): void {
    this.#parts.hasher.forget(row.path);
    if (recovery.verdict === "failed") row.trouble = this.#parts.explain(row, recovery);
    else this.#over = true;
    this.#show(row, "failed");
    if (this.#over) {
      this.#abort();
      this.#parts.onOver();
    }
  }

  #show(row: Row, state: Row["state"]): void {
    row.state = state;
    this.#parts.onChange();
  }
}
