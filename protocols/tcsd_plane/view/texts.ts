// The sentences of the workspace; templates/rating/protocols/plane_page.html holds and translates them.
import { textsIn } from "../../../frontend/src/viewer/texts.ts";

export interface PlaneTexts {
  where: string;
  where_one: string;
  where_example: string;
  about: string;
  play: string;
  pause: string;
  between: string;
  file_time: string;
  ready: string;
  all_ready: string;
  explored: string;
  probe: string;
  probe_heard: string;
  probe_unset: string;
  probes_heard: string;
  probes_none: string;
  noted: string;
  no_sources: string;
  source_remove: string;
  source_used: string;
  summary_heard: string;
  summary_unheard: string;
  plays: string;
  line: string;
  missing: string;
  tentative: string;
  unheard: string;
  unprobed: string;
  decide_and_close: string;
  close_recording: string;
}

export function readPlaneTexts(): PlaneTexts {
  return textsIn<PlaneTexts>("#plane-texts");
}
