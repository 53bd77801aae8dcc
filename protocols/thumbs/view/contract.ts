// Contract of the page of a clip: what it receives and what it sends.
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { TrialPage } from "../../../frontend/src/trial/contract.ts";

export const SCORES = ["PRECISION", "RECALL"] as const;
export const PENALTIES = ["FLUENCY", "CONCISENESS", "IRRELEVANCE"] as const;
export const ENTERED = [...SCORES, ...PENALTIES] as const;

type Penalty = (typeof PENALTIES)[number];
export type Scale = (typeof ENTERED)[number];

export type Numbers = Partial<Record<Scale, number>>;

/** A caption of the example: its numbers, and why. */
export type Worked = Numbers & { why?: string };

/** What the protocol says about the page. */
interface ThumbsPage {
  slots: string[];
  /** Between two values of precision and recall: 0.5 or 1. */
  step: number;
  /** Whether it is asked if the clip was synthesised. */
  synthesised: boolean;
  example?: { captions: Record<string, Worked>; synthesised: boolean | null };
}

export type CaptionAnswer = Numbers & { comment?: string };

/** The answer as it is sent. What is not there is not answered; a penalty of 0 is an answer. */
export interface Payload {
  captions: Record<string, CaptionAnswer>;
  synthesised?: boolean;
  listened: { plays: number };
  finished: boolean;
}

export function pageOf({ page }: Pick<TrialPage, "page">): ThumbsPage {
  return page as unknown as ThumbsPage;
}

/** Whether the experiment lets all clips be scored in one table. */
export function offersGrid({ options }: Pick<TrialPage, "options">): boolean {
  return (options as { grid?: boolean }).grid === true;
}

export function captionSlots(page: Pick<TrialPage, "page">): string[] {
  return pageOf(page).slots.filter((slot) => slot !== "clip");
}

/** The newest answer of one's own, or nothing yet. */
export function readDraft(draft: Json): Partial<Payload> {
  return (draft ?? {}) as unknown as Partial<Payload>;
}

export function isPenalty(scale: Scale): scale is Penalty {
  return (PENALTIES as readonly string[]).includes(scale);
}
