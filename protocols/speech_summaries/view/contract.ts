// Contract of the pages of speech summaries: what they receive and what they send.
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage } from "../../../frontend/src/trial/contract.ts";

/** Pick words of a transcript, from `least` to `most`; best are `target`, the `ratio` of all. */
export interface MakerPage {
  group: "maker";
  ratio: number;
  least: number;
  most: number;
  target: number;
}

/** Rate versions of a transcript, by the keys of their slots. */
export interface JudgePage {
  group: "judge";
  versions: string[];
}

export interface Picked {
  picked?: number[];
  listened?: { plays: number };
}

export interface Judged {
  marks?: Record<string, number>;
  comment?: string;
  listened?: { plays: number };
}

export function pageOf(page: ShownPage): MakerPage | JudgePage {
  return page.page as unknown as MakerPage | JudgePage;
}

export function draftOf<T>(page: ShownPage): Partial<T> {
  return (page.draft ?? {}) as Partial<T>;
}

export function wordsOf(page: ShownPage, slot = "transcript"): string[] {
  return page.texts[slot]?.tokens ?? [];
}

export type Payload = { [key: string]: Json };
