// The sentences of the page; templates/rating/protocols/speech-summaries_page.html holds and translates them.
import { textsIn } from "../../../frontend/src/viewer/texts.ts";

export interface SummaryTexts {
  where: string;
  play: string;
  stop: string;
  sound_failed: string;
  plays_left: string;
  counter: string;
  fits: string;
  more: string;
  fewer: string;
  empty: string;
  version: string;
  rated: string;
  still_open: string;
}

export function readSummaryTexts(): SummaryTexts {
  return textsIn<SummaryTexts>("#summaries-texts");
}
