// Contract of the chaptering page: what it receives, what it sends, and its texts.
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { Interval } from "../../../frontend/src/player/heard.ts";
import { textsIn } from "../../../frontend/src/viewer/texts.ts";

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

export interface ChaptersTexts {
  where: string;
  where_one: string;
  pictures_hint: string;
  chapter: string;
  starts: string;
  title_of: string;
  title_hint: string;
  play_of: string;
  remove_of: string;
  chosen_none: string;
  chosen_is: string;
  marked: string;
  moved: string;
  removed: string;
  taken: string;
  no_place: string;
  none_before: string;
  none_after: string;
  undone: string;
  redone: string;
  not_a_time: string;
  count: string;
  count_one: string;
  heard: string;
  untitled: string;
  needed: string;
}

/** The sentences of the page; templates/chaptering/page.html holds and translates them. */
export function readChaptersTexts(): ChaptersTexts {
  return textsIn<ChaptersTexts>("#chapters-texts");
}
