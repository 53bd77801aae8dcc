// Keys and buttons of the chaptering page.

import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { type Keys, placeOf } from "../../../frontend/src/trial/keys.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { undoKey } from "../../../frontend/src/workspace/history.ts";
import { type Editing, numberOf } from "./division.ts";
import type { Picture } from "./picture.ts";

export interface KeyActs {
  mark(): void;
  step(way: -1 | 1): void;
  /** The chosen mark, or the cursor where none is chosen. */
  nudge(seconds: number, held: boolean): void;
  /** Put the chosen mark where the cursor is. */
  moveHere(): void;
  title(): void;
  remove(): void;
  play(): void;
  playHere(): void;
  moveBy(seconds: number): void;
  turnPage(way: -1 | 1): void;
  goToEnd(way: -1 | 1): void;
  zoom(factor: number): void;
  showAll(): void;
  undo(): void;
  redo(): void;
  /** Say why a button for the selected mark does nothing. */
  explain(): void;
}

const NUDGE_S = 0.1;
const STRIDE_S = 1; // with Shift
const JUMP_S = 10;
const ZOOM_STEP = 2;

type Stroke = Pick<KeyboardEvent, "key" | "shiftKey">;

/** How far an arrow moves, in seconds; null for any other key. */
export function nudgeOf({ key, shiftKey }: Stroke): number | null {
  const way = key === "ArrowLeft" ? -1 : key === "ArrowRight" ? 1 : 0;
  return way ? way * (shiftKey ? STRIDE_S : NUDGE_S) : null;
}

function meanings(acts: KeyActs, shift: boolean): Record<string, () => void> {
  return {
    c: acts.mark,
    i: () => acts.step(-1),
    o: () => acts.step(1),
    Enter: acts.title,
    Backspace: acts.remove,
    Delete: acts.remove,
    " ": shift ? acts.playHere : acts.play,
    j: () => acts.moveBy(-JUMP_S),
    l: () => acts.moveBy(JUMP_S),
    PageUp: () => acts.turnPage(-1),
    PageDown: () => acts.turnPage(1),
    Home: () => acts.goToEnd(-1),
    End: () => acts.goToEnd(1),
    "+": () => acts.zoom(ZOOM_STEP),
    "=": () => acts.zoom(ZOOM_STEP),
    "-": () => acts.zoom(1 / ZOOM_STEP),
    e: acts.showAll,
  };
}

export function wireKeys(scope: Scope, keys: Keys, acts: KeyActs): void {
  keys.on(scope, (event) => {
    if (event.defaultPrevented) return false;
    const nudge = nudgeOf(event);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = nudge === null ? meanings(acts, event.shiftKey)[key] : () => acts.nudge(nudge, false);
    act?.();
    return act !== undefined;
  });
  const isElsewhere = (target: EventTarget | null) =>
    placeOf(target) === "text" || document.querySelector("dialog[open]") !== null;
  scope.listen<KeyboardEvent>(document, "keydown", (event) => {
    const way = undoKey(event);
    if (!way || isElsewhere(event.target)) return;
    event.preventDefault();
    acts[way]();
  });
  // The screen's keys do not repeat; an arrow that is held down goes on.
  scope.listen<KeyboardEvent>(document, "keydown", (event) => {
    const nudge = event.repeat && keys.enabled && !event.defaultPrevented ? nudgeOf(event) : null;
    if (nudge === null || isElsewhere(event.target)) return;
    event.preventDefault();
    acts.nudge(nudge, true);
  });
}

interface ToolbarParts {
  scope: Scope;
  root: ParentNode;
  acts: KeyActs;
  picture: Picture;
}

/** Wire the buttons; the returned function shows which of them can do something now. */
export function wireToolbar({ scope, root, acts, picture }: ToolbarParts) {
  const wire = (name: string, act: () => void, explain = act) => {
    const button = need<HTMLButtonElement>(`[data-act=${name}]`, root);
    scope.listen<MouseEvent>(button, "click", (event) => {
      if (button.getAttribute("aria-disabled") === "true") explain();
      else act();
      // After a click the keys go on in the picture: Space would otherwise press the button again.
      if (event.detail > 0 && button.contains(document.activeElement)) picture.focus();
    });
    return button;
  };
  wire("mark", acts.mark);
  wire("before", () => acts.step(-1));
  wire("after", () => acts.step(1));
  const [undo, redo] = [wire("undo", acts.undo), wire("redo", acts.redo)];
  const ofMark = [
    wire("hear", acts.play, acts.explain),
    wire("earlier", () => acts.nudge(-1, false), acts.explain),
    wire("bit-earlier", () => acts.nudge(-0.1, false), acts.explain),
    wire("bit-later", () => acts.nudge(0.1, false), acts.explain),
    wire("later", () => acts.nudge(1, false), acts.explain),
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
      ? fill(gettext("Chapter {n}, {time}"), { n: numberOf(division, mark.id), time: formatTime(mark.atS, 1) })
      : gettext("Select a mark to play, move or remove it.");
  };
}
