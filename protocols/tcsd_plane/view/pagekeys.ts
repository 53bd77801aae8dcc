// The keys of the workspace that are not the plane's own: which sound, which hour, which place.
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Keys } from "../../../frontend/src/trial/keys.ts";
import { type Day, ZOOM_STEP } from "./day.ts";
import type { HourStrip } from "./strip.ts";
import type { Summaries } from "./summaries.ts";

/** Which of the two players Space and zoom are about: the one that was touched last. */
export type Player = "full" | "summary";

export interface KeyParts {
  scope: Scope;
  keys: Keys;
  /** Everything that shows the full recording; arrows and pages mean time only in there. */
  fullPanel: HTMLElement;
  day: Day;
  strip: HourStrip;
  summaries: Summaries;
  active(): Player;
  nextProbe(): void;
  playProbes(): void;
  focusNote(): void;
  openCriteria(): void;
}

const STEP_S = 10;
const STRIDE_S = 60; // with Shift

type Acts = Record<string, () => void>;

export function wireKeys(parts: KeyParts): void {
  const { keys, scope, fullPanel } = parts;
  const acts = anywhere(parts);
  keys.on(scope, (event) => {
    if (event.defaultPrevented) return false;
    const inside = event.target instanceof Node && fullPanel.contains(event.target);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = (inside ? inTime(parts, event.shiftKey)[key] : undefined) ?? acts[key];
    act?.();
    return act !== undefined;
  });
}

function anywhere({ day, strip, summaries, active, ...parts }: KeyParts): Acts {
  const zoom = (factor: number) => {
    if (active() === "full") day.viewer.zoom(factor);
    else summaries.viewer?.zoom(factor);
  };
  const fit = () => {
    const { viewer } = summaries;
    if (active() === "full") day.fit();
    else if (viewer?.manifest) viewer.show({ start: 0, stop: viewer.manifest.length_samples });
  };
  const toggle = () => {
    if (active() === "summary") summaries.toggle();
    else if (day.viewer.playing) day.viewer.stop();
    else day.viewer.play();
  };
  return {
    " ": toggle,
    j: () => summaries.step(-1),
    l: () => summaries.step(1),
    b: parts.playProbes,
    r: parts.nextProbe,
    "+": () => zoom(ZOOM_STEP),
    "=": () => zoom(ZOOM_STEP),
    "-": () => zoom(1 / ZOOM_STEP),
    e: fit,
    d: () => strip.focus(),
    h: () => parts.fullPanel.querySelector<HTMLElement>(".viewer__stage")?.focus(),
    n: parts.focusNote,
    c: parts.openCriteria,
  };
}

function inTime({ day }: KeyParts, shift: boolean): Acts {
  const seconds = shift ? STRIDE_S : STEP_S;
  return {
    ArrowLeft: () => day.moveBy(-seconds),
    ArrowRight: () => day.moveBy(seconds),
    PageUp: () => day.step(-1),
    PageDown: () => day.step(1),
  };
}
