// The words of the vote protocol: what the browser sends, what it gets back.

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
export type Status = "stored" | "replay" | "conflict" | "refused" | "sound_missing";

export interface Result {
  event_id: string;
  status: Status;
  revision: number | null;
  code?: string;
  detail?: string;
  /** What must be fetched before an `sound_missing` answer is sent again. */
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
