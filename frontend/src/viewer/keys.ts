// What the keys of a viewer mean, and where they mean it.

export type Command =
  | "toggle"
  | "play"
  | "stop"
  | "left"
  | "right"
  | "select-left"
  | "select-right"
  | "page-left"
  | "page-right"
  | "start"
  | "end"
  | "zoom-in"
  | "zoom-out"
  | "whole"
  | "selection"
  | "follow"
  | "loop"
  | "statistic"
  | "sheet";

/** What a key event is judged by; a KeyboardEvent has all of it. */
export interface Stroke {
  key: string;
  repeat: boolean;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

// Only letters that lie in the same place on QWERTY, QWERTZ and AZERTY (not A Q W Z Y M).
const SINGLE: Record<string, Command> = {
  " ": "toggle",
  Enter: "play",
  Escape: "stop",
  PageUp: "page-left",
  PageDown: "page-right",
  Home: "start",
  End: "end",
  "+": "zoom-in",
  "=": "zoom-in",
  "-": "zoom-out",
  _: "zoom-out",
  "?": "sheet",
  e: "whole",
  s: "selection",
  f: "follow",
  l: "loop",
  t: "statistic",
};
// Held down, these go on; the others happen once.
const REPEATING: readonly Command[] = [
  "left",
  "right",
  "select-left",
  "select-right",
  "page-left",
  "page-right",
  "zoom-in",
  "zoom-out",
];

function meaning({ key, shiftKey }: Stroke): Command | null {
  if (key === "ArrowLeft") return shiftKey ? "select-left" : "left";
  if (key === "ArrowRight") return shiftKey ? "select-right" : "right";
  return SINGLE[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/** Where the stroke fell: in a field one types, a slider moves by itself, a button is pressed by Enter and Space. */
export type Place = "text" | "slider" | "button" | "other";

export function placeOf(target: EventTarget | null): Place {
  if (!(target instanceof HTMLElement)) return "other";
  if (target instanceof HTMLInputElement && target.type === "range") return "slider";
  if (target.matches("input, textarea, select") || target.isContentEditable) return "text";
  return target.matches("button, a[href], summary") ? "button" : "other";
}

const SLIDER_OWN = /^(Arrow|Page|Home$|End$)/;

function belongsToPlace(key: string, place: Place): boolean {
  if (place === "text") return key !== "Escape";
  if (place === "slider") return SLIDER_OWN.test(key);
  return place === "button" && (key === " " || key === "Enter");
}

/** The command of a stroke, or null when it is none here. Letters and signs can be switched off (WCAG 2.1.4). */
export function commandFor(stroke: Stroke, place: Place, letters: boolean): Command | null {
  if (stroke.ctrlKey || stroke.altKey || stroke.metaKey || belongsToPlace(stroke.key, place)) return null;
  if (!letters && stroke.key.length === 1 && stroke.key !== " ") return null;
  const command = meaning(stroke);
  if (command && stroke.repeat && !REPEATING.includes(command)) return null;
  return command;
}
