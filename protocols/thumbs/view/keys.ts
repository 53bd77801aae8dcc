// The keys of one clip's page: the sound, the rows of the chosen caption, and the way on.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { digitOf, type Keys, placeOf } from "../../../frontend/src/trial/keys.ts";
import type { Scale } from "./contract.ts";

const ROWS: Record<string, Scale> = {
  p: "PRECISION",
  r: "RECALL",
  f: "FLUENCY",
  c: "CONCISENESS",
  i: "IRRELEVANCE",
};

export interface KeyActs {
  play(): void;
  focusRow(scale: Scale): void;
  /** On the row that has the focus; says whether that meant something. */
  digit(digit: number): boolean;
  step(way: -1 | 1): boolean;
  minus(): boolean;
  noPenalties(): void;
  nextCaption(): void;
  focusSynthesised(): void;
  rubric(): void;
  list(): void;
  back(): void;
  next(): void;
}

export function wireKeys(scope: Scope, root: HTMLElement, keys: Keys, acts: KeyActs): void {
  keys.on(scope, (event) => act(event, acts));
  scope.listen<KeyboardEvent>(root, "keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    acts.next();
  });
  // On a radio that is chosen already Space would do nothing; elsewhere on the page it plays, so it does here.
  scope.listen<KeyboardEvent>(root, "keydown", (event) => {
    const { target } = event;
    const isChosen = target instanceof HTMLInputElement && target.type === "radio" && target.checked;
    if (event.key !== " " || event.repeat || !isChosen || !keys.enabled) return;
    event.preventDefault();
    acts.play();
  });
}

function act(event: KeyboardEvent, acts: KeyActs): boolean {
  const digit = digitOf(event.code);
  if (digit !== undefined) return acts.digit(digit);
  const isRadio = placeOf(event.target) === "choice"; // where arrows already choose
  if (event.key === "ArrowLeft" || event.key === "ArrowRight")
    return !isRadio && acts.step(event.key === "ArrowLeft" ? -1 : 1);
  if (event.key === "-" || event.code === "NumpadSubtract") return acts.minus();
  const row = ROWS[event.key.toLowerCase()];
  if (row) {
    acts.focusRow(row);
    return true;
  }
  return meant(event.key, acts);
}

function meant(key: string, acts: KeyActs): boolean {
  const meanings: Record<string, () => void> = {
    " ": acts.play,
    o: acts.noPenalties,
    n: acts.nextCaption,
    s: acts.focusSynthesised,
    h: acts.rubric,
    l: acts.list,
    Backspace: acts.back,
    Enter: acts.next,
  };
  const act = meanings[key.length === 1 ? key.toLowerCase() : key];
  act?.();
  return act !== undefined;
}
