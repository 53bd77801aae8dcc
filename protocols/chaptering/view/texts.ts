// The sentences of the page; templates/rating/protocols/chaptering_page.html holds and translates them.
import { textsIn } from "../../../frontend/src/viewer/texts.ts";

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

export function readChaptersTexts(): ChaptersTexts {
  return textsIn<ChaptersTexts>("#chapters-texts");
}
