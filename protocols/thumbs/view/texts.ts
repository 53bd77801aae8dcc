// The sentences of the page; templates/rating/protocols/thumbs_page.html holds and translates them.
import { textsIn } from "../../../frontend/src/viewer/texts.ts";

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

export function readThumbsTexts(): ThumbsTexts {
  return textsIn<ThumbsTexts>("#thumbs-texts");
}
