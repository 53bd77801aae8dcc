// Contract of the page of a clip: what it receives, what it sends, and its texts.
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { TrialPage } from "../../../frontend/src/trial/contract.ts";
import { textsIn } from "../../../frontend/src/viewer/texts.ts";

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

export interface ThumbsTexts {
  where: string;
  where_example: string;
  all_clips: string;
  clip: string;
  block: string;
  block_name: string;
  progress: string;
  play: string;
  pause: string;
  play_row: string;
  heard: string;
  heard_once: string;
  pictures_hint: string;
  caption: string;
  set_count: string;
  all_set: string;
  unset: string;
  exact: string;
  exact_for: string;
  flipped: string;
  no_number: string;
  score_range: string;
  penalty_range: string;
  positive: string;
  no_answer: string;
  no_penalties: string;
  overall_later: string;
  comment: string;
  comment_of: string;
  comment_long: string;
  yes: string;
  no: string;
  lacks: string;
  lacks_synthesised: string;
  offline: string;
  loading: string;
  state_whole: string;
  state_begun: string;
  state_open: string;
  rows_done: string;
  row: string;
  cell: string;
  cell_clip: string;
  pasted: string;
  pasted_outside: string;
  doubtful: string;
  row_missing: string;
}

/** The sentences of the page; templates/thumbs/page.html holds and translates them. */
export function readThumbsTexts(): ThumbsTexts {
  return textsIn<ThumbsTexts>("#thumbs-texts");
}
