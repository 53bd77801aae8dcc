// What leaves this page for the outbox: each answer and each step under an id of its own, with the clocks of this device.
import { newUuid } from "../lib/uuid.ts";
import type { Heard, Json, Listened } from "../outbox/events.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { TrialPage } from "./contract.ts";

export class Sending {
  readonly #outbox: Pick<Outbox, "add">;
  readonly #own = new Set<string>();
  #counter = 0;

  constructor(outbox: Pick<Outbox, "add">) {
    this.#outbox = outbox;
  }

  /** Resolves when it is safe. */
  async send(page: TrialPage, payload: Json, heard: Heard | Listened, draft = false): Promise<void> {
    const event_id = newUuid();
    this.#own.add(event_id);
    this.#counter += 1;
    const clock = {
      wall: new Date().toISOString(),
      monotonic_ms: Math.round(performance.now() * 10) / 10,
      counter: this.#counter,
    };
    const { trial, revision } = page;
    await this.#outbox.add({ event_id, trial, revision, payload, heard, clock, ...(draft ? { draft } : {}) });
  }

  /** Whether it was sent from this page, and not from another tab. */
  owns(eventId: string): boolean {
    return this.#own.has(eventId);
  }
}
