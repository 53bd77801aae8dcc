// A level in decibels: how keys move it and how it is written. Pure.
import { HIGHEST_DB, LOWEST_DB } from "../player/output.ts";

export const STEP_DB = 0.1;
export const LARGE_STEP_DB = 0.5;

export function withinReach(levelDb: number): number {
  const tenths = Math.round(levelDb * 10) / 10;
  return Math.min(HIGHEST_DB, Math.max(LOWEST_DB, tenths)) || 0; // no negative zero
}

/** Where a key takes the level, or undefined where the key means nothing here. */
export function movedBy(levelDb: number, key: string, shift: boolean): number | undefined {
  const step = shift ? LARGE_STEP_DB : STEP_DB;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return withinReach(levelDb - step);
    case "ArrowRight":
    case "ArrowUp":
      return withinReach(levelDb + step);
    case "Home":
      return LOWEST_DB;
    case "End":
      return HIGHEST_DB;
    default:
      return undefined;
  }
}

export function levelText(levelDb: number): string {
  const sign = levelDb > 0 ? "+" : levelDb < 0 ? "−" : "";
  return `${sign}${Math.abs(levelDb).toFixed(1)} dB`;
}
