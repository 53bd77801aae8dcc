// The buttons under the picture: everything that keys do to marks, for those who point.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { numberOf } from "./division.ts";
import type { Editing } from "./editing.ts";
import type { KeyActs } from "./keys.ts";
import type { Picture } from "./picture.ts";
import type { ChaptersTexts } from "./texts.ts";

export interface ToolbarParts {
  scope: Scope;
  root: ParentNode;
  texts: ChaptersTexts;
  acts: KeyActs;
  picture: Picture;
}

/** Wire the buttons; the returned function shows which of them can do something now. */
export function wireToolbar({ scope, root, texts, acts, picture }: ToolbarParts) {
  const wire = (name: string, act: () => void) => {
    const button = need<HTMLButtonElement>(`[data-act=${name}]`, root);
    scope.listen<MouseEvent>(button, "click", (event) => {
      if (button.getAttribute("aria-disabled") !== "true") act();
      // Who points goes on with keys in the picture: Space would otherwise press the button again.
      if (event.detail > 0 && button.contains(document.activeElement)) picture.focus();
    });
    return button;
  };
  wire("mark", acts.mark);
  wire("before", () => acts.step(-1));
  wire("after", () => acts.step(1));
  const [undo, redo] = [wire("undo", acts.undo), wire("redo", acts.redo)];
  const ofMark = [
    wire("hear", acts.play),
    wire("earlier", () => acts.nudge(-1, false)),
    wire("bit-earlier", () => acts.nudge(-0.1, false)),
    wire("bit-later", () => acts.nudge(0.1, false)),
    wire("later", () => acts.nudge(1, false)),
    wire("to-cursor", acts.moveHere),
    wire("remove", acts.remove),
  ];
  const name = need("[data-part=chosen]", root);
  // Not disabled: a button that is switched off under one's finger would drop the focus.
  const enable = (button: HTMLElement, can: boolean) => button.setAttribute("aria-disabled", String(!can));
  return ({ division, mark, canUndo, canRedo }: Editing) => {
    for (const button of ofMark) enable(button, mark !== undefined);
    enable(undo, canUndo);
    enable(redo, canRedo);
    name.textContent = mark
      ? fill(texts.chosen_is, { n: numberOf(division, mark.id), time: formatTime(mark.atS, 1) })
      : texts.chosen_none;
  };
}
