// What the keys mean on the plane itself, and the two that mean the same everywhere.
import type { Stroke } from "../../../frontend/src/viewer/keys.ts";
import type { Axis } from "./crosses.ts";

export type Command =
  | { do: "nudge"; axis: Axis; by: number }
  | { do: "ask"; axis: Axis }
  | { do: "settle" }
  | { do: "lift" }
  | { do: "relate" };

const STEP = 0.01;
const STRIDE = 0.05; // with Shift
const LEAP = 0.1;
const WHOLE = 1; // from any place as far as it goes

const NUDGES: Record<string, [Axis, number, number]> = {
  ArrowLeft: ["tc", -STEP, -STRIDE],
  ArrowRight: ["tc", STEP, STRIDE],
  ArrowDown: ["sd", -STEP, -STRIDE],
  ArrowUp: ["sd", STEP, STRIDE],
  PageDown: ["sd", -LEAP, -LEAP],
  PageUp: ["sd", LEAP, LEAP],
  Home: ["tc", -WHOLE, -WHOLE],
  End: ["tc", WHOLE, WHOLE],
};
const NAMED: Record<string, Command> = {
  Enter: { do: "settle" },
  Backspace: { do: "lift" },
  Delete: { do: "lift" },
};
// Only letters that lie in the same place on QWERTY, QWERTZ and AZERTY (not A Q W Z Y M).
const LETTERS: Record<string, Command> = {
  s: { do: "ask", axis: "sd" },
  t: { do: "ask", axis: "tc" },
  i: { do: "relate" },
};

/** The command of a stroke on the plane, or null. Letters can be switched off (WCAG 2.1.4). */
export function commandFor(stroke: Stroke, letters: boolean): Command | null {
  const { key, shiftKey, repeat } = stroke;
  if (stroke.ctrlKey || stroke.altKey || stroke.metaKey) return null;
  const nudge = NUDGES[key];
  if (nudge) {
    const [axis, step, stride] = nudge;
    return { do: "nudge", axis, by: shiftKey ? stride : step };
  }
  if (repeat) return null;
  return NAMED[key] ?? (letters ? (LETTERS[key.toLowerCase()] ?? null) : null);
}
