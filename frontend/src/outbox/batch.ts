// How much goes into one request. Pure.
import type { VoteEvent } from "./events.ts";

export const CLIENT_VERSION = "1";
export const MAX_EVENTS = 50;
export const MAX_BYTES = 48 * 1024;

export interface VoteBody {
  client: string;
  events: VoteEvent[];
}

export function bodyOf(events: VoteEvent[]): VoteBody {
  return { client: CLIENT_VERSION, events };
}

export function byteLength(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** The longest beginning that fits both limits. The first event always goes: alone and too large, it must be refused aloud. */
export function takeBatch(events: readonly VoteEvent[], maxEvents = MAX_EVENTS, maxBytes = MAX_BYTES): VoteEvent[] {
  const batch: VoteEvent[] = [];
  let bytes = byteLength(bodyOf([]));
  for (const event of events.slice(0, maxEvents)) {
    bytes += byteLength(event) + (batch.length ? 1 : 0);
    if (batch.length && bytes > maxBytes) break;
    batch.push(event);
  }
  return batch;
}
