// Which seconds of a recording have been heard: intervals in order, without overlaps. Pure.
import type { Range } from "../viewer/contract.ts";

/** From and to, in seconds of file time. */
export type Interval = [number, number];

// What is nearer than the ear can tell apart is one interval; tenths of a second keep the payload short.
const NEAR_S = 0.3;
const tenths = (seconds: number) => Math.round(seconds * 10) / 10;

export function withHeard(heard: readonly Interval[], fromS: number, toS: number): Interval[] {
  if (toS - fromS < 0.05) return [...heard];
  const all: Interval[] = [...heard, [tenths(fromS), tenths(toS)]];
  all.sort(([one], [other]) => one - other);
  const merged: Interval[] = [];
  for (const [from, to] of all) {
    const last = merged.at(-1);
    if (last && from <= last[1] + NEAR_S) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function heardSeconds(heard: readonly Interval[]): number {
  return heard.reduce((sum, [from, to]) => sum + to - from, 0);
}

export function rangesOf(heard: readonly Interval[], sampleRateHz: number): Range[] {
  return heard.map(([from, to]) => ({ start: Math.round(from * sampleRateHz), stop: Math.round(to * sampleRateHz) }));
}
