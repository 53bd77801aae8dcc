// A button that plays and pauses one viewer, and shows which of the two it would do.
import { make } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { icon } from "../../../frontend/src/viewer/icons.ts";
import type { Viewer } from "../../../frontend/src/viewer/viewer.ts";
import type { PlaneTexts } from "./texts.ts";

export function toggle(viewer: Viewer): void {
  if (viewer.playing) viewer.stop();
  else viewer.play();
}

/** `viewer` may change from one press to the next; `show` says what the button looks like now. */
export function wirePlayButton(
  scope: Scope,
  button: HTMLElement,
  texts: PlaneTexts,
  viewer: () => Viewer | null,
): () => void {
  const show = () => {
    const sounding = viewer()?.playing ?? false;
    if (button.dataset.sounding === String(sounding)) return;
    button.dataset.sounding = String(sounding);
    button.replaceChildren(icon(sounding ? "pause" : "play"), make("span", {}, sounding ? texts.pause : texts.play));
  };
  scope.listen(button, "click", () => {
    const current = viewer();
    if (current) toggle(current);
    show();
  });
  show();
  return show;
}

/** Follow what starts and stops in a viewer. */
export function onPlaying(scope: Scope, viewer: Viewer, listener: () => void): void {
  for (const type of ["start", "stall", "resume", "stop"]) scope.listen(viewer.events, type, listener);
}
