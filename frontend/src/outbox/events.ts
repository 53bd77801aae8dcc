// Events of the vote API: what the browser sends in one request, and what it gets back.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What was heard before an answer, by the audio clock; `player/heard.ts` says what each figure means. */
export interface Heard {
  plays: number;
  heard_ms: number;
  heard_full: boolean;
  sample_rate_hz: number;
  started_ms: number;
  ended_ms: number;
  stall_ms: number;
  interruptions: string[];
  answer_ms: number;
  level_db: number;
  latency_ms: number;
}

/** What was heard while a page was worked on, where nothing has to be heard through. */
export interface Listened {
  plays: number;
  heard_ms: number;
}

export interface VoteEvent {
  event_id: string;
  trial: string;
  revision: number;
  payload: Json;
  heard: Heard | Listened;
  /** A step on the way to an answer: its page stays open. The server finds that out from the payload. */
  draft?: boolean;
  clock: { wall: string; monotonic_ms: number; counter: number };
}

/** `sound_missing` alone is not final: the sound was never fetched, and with it the same answer is taken. */
type Status = "stored" | "replay" | "conflict" | "refused" | "sound_missing";

export interface Result {
  event_id: string;
  status: Status;
  revision: number | null;
  code?: string;
  detail?: string;
  /** What must be fetched before a `sound_missing` answer is sent again. */
  fetch?: string[];
}

export interface Receipt {
  results: Result[];
  answered: number;
  total: number;
  saved_at: string;
}

const FINAL: readonly string[] = ["stored", "replay", "conflict", "refused"] satisfies Status[];

/** Whether the event may leave the outbox; a word from a newer server that is not known here may not decide that. */
export function isFinal(result: Result): boolean {
  return FINAL.includes(result.status);
}

const CLIENT_VERSION = "1";
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
