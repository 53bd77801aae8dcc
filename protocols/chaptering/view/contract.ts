// Contract of the chaptering page: what it receives and what it sends.
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { Interval } from "../../../frontend/src/player/heard.ts";

/** What the protocol says about the page. */
export interface ChaptersPage {
  titles: boolean;
  titles_needed: boolean;
}

/** The answer as it is sent. The first chapter begins at 0, which is no boundary; its title is the opening. */
export interface Payload {
  boundaries: { at_s: number; title: string }[];
  opening: string;
  listened: { full: Interval[]; plays: number };
  finished: boolean;
}

/** The newest answer of one's own, or nothing yet. */
export function readDraft(draft: Json): Partial<Payload> {
  return (draft ?? {}) as unknown as Partial<Payload>;
}
