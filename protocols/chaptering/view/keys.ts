// The keys of the page: marks, the way along them, and the way through the recording.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { type Keys, placeOf } from "../../../frontend/src/trial/keys.ts";
import { wayBack } from "../../../frontend/src/workspace/wayback.ts";

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
    const way = wayBack(event);
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
