// Texts of the viewer; templates/partials/viewer_texts.html holds and translates them.
import { need } from "../lib/dom.ts";

export interface ViewerTexts {
  viewer: string;
  pictures: string;
  pictures_hint: string;
  minimap: string;
  controls: string;
  play: string;
  pause: string;
  stop: string;
  zoom_in: string;
  zoom_out: string;
  whole: string;
  to_selection: string;
  loop: string;
  follow: string;
  picture: string;
  statistic: string;
  maximum: string;
  mean: string;
  gain: string;
  range: string;
  wave_height: string;
  keys: string;
  close: string;
  use_keys: string;
  position: string;
  clock: string;
  no_clock: string;
  pointer: string;
  selection: string;
  selection_start: string;
  selection_stop: string;
  selection_length: string;
  start_here: string;
  stop_here: string;
  clear: string;
  not_a_time: string;
  spoken: string;
  spoken_selection: string;
  spoken_view: string;
  loading: string;
  failed: string;
  gone: string;
  retry: string;
  picture_trouble: string;
  preparing: string;
  preparing_left: string;
  waiting: string;
  retrying: string;
  sound_failed: string;
  blocked: string;
  interrupted: string;
  parameters: string;
  parameters_pooled: string;
  key_play: string;
  key_play_here: string;
  key_stop: string;
  key_move: string;
  key_select: string;
  key_page: string;
  key_ends: string;
  key_zoom: string;
  key_whole: string;
  key_selection: string;
  key_follow: string;
  key_loop: string;
  key_statistic: string;
  key_sheet: string;
  mouse_wheel: string;
  mouse_wheel_does: string;
  mouse_drag: string;
  mouse_drag_does: string;
  mouse_ruler: string;
  mouse_ruler_does: string;
  mouse_double: string;
  mouse_double_does: string;
  name_space: string;
  name_enter: string;
  name_shift: string;
  name_page: string;
  name_home: string;
  name_end: string;
}

/** The texts that a template put into the page: <template id="viewer-texts"><i data-text="play">Play</i>... */
export function readTexts(root: ParentNode = document): ViewerTexts {
  return textsIn<ViewerTexts>("#viewer-texts", root);
}

export function textsIn<T>(template: string, root: ParentNode = document): T {
  const { content } = need<HTMLTemplateElement>(template, root);
  const entries = [...content.querySelectorAll<HTMLElement>("[data-text]")];
  return Object.fromEntries(entries.map((entry) => [entry.dataset.text, (entry.textContent ?? "").trim()])) as T;
}
