// Measures of what was heard, from the audio clock alone: presentations of clips, and intervals of a recording. Pure.
import type { Heard } from "../outbox/events.ts";
import type { Range } from "../viewer/remote.ts";

/** What came between a clip and the ear: the page was hidden, the device changed, or the browser turned the sound off. */
export type Interruption = "hidden" | "device" | "suspended";

/** How one presentation went: `startedAt` and `endedAt` are seconds of the audio clock. */
export interface Presentation {
  outcome: "ended" | "stopped" | "voided";
  startedAt: number;
  endedAt: number;
  durationS: number;
  stallS: number; // by how much the wall clock ran ahead of the audio clock meanwhile
  interruption?: Interruption;
}

// The clock advances in blocks of 128 samples (16 ms at 8 kHz), and the end is reported in the block after.
const CLOCK_GRAIN_S = 0.03;

export function heardSeconds(presentation: Presentation): number {
  const elapsed = presentation.endedAt - presentation.startedAt;
  return Math.min(Math.max(elapsed, 0), presentation.durationS);
}

/** To the end: the source said so and the clock agrees. A timer, or a source that was cut, cannot claim it. */
export function heardToTheEnd(presentation: Presentation): boolean {
  return presentation.outcome === "ended" && heardSeconds(presentation) >= presentation.durationS - CLOCK_GRAIN_S;
}

export interface SlotPresentation extends Presentation {
  slot: string;
}

/** How sound left the page while an answer was made. */
interface Circumstances {
  sampleRateHz: number;
  latencyS: number;
  levelDb: number;
  /** From the end of the last presentation to the answer. */
  answerMs: number;
}

/** The record that goes with an answer. A voided presentation was interrupted by circumstance and is not a play; one play of a
 * page may present a slot as often as it stands in `slots`. */
export function summarise(
  presentations: readonly SlotPresentation[],
  slots: readonly string[],
  { sampleRateHz, latencyS, levelDb, answerMs }: Circumstances,
): Heard {
  const plays = presentations.filter((presentation) => presentation.outcome !== "voided");
  const of = (slot: string) => plays.filter((play) => play.slot === slot);
  const inOnePlay = (slot: string) => slots.filter((each) => each === slot).length;
  const last = plays.at(-1);
  const ms = (seconds: number) => Math.round(seconds * 1000);
  return {
    plays: Math.max(0, ...slots.map((slot) => Math.ceil(of(slot).length / inOnePlay(slot)))),
    heard_ms: ms(plays.reduce((sum, play) => sum + heardSeconds(play), 0)),
    heard_full: slots.every((slot) => of(slot).some(heardToTheEnd)),
    sample_rate_hz: sampleRateHz,
    started_ms: ms(last?.startedAt ?? 0),
    ended_ms: ms(last?.endedAt ?? 0),
    stall_ms: ms(Math.max(0, ...plays.map(({ stallS }) => stallS))),
    interruptions: presentations.flatMap(({ interruption }) => interruption ?? []),
    answer_ms: Math.round(answerMs),
    level_db: levelDb,
    latency_ms: ms(latencyS),
  };
}

/** From and to, in seconds of file time. */
export type Interval = [number, number];

// What is nearer than the ear can tell apart is one interval; tenths of a second keep the payload short.
const NEAR_S = 0.3;
const tenths = (seconds: number) => Math.round(seconds * 10) / 10;

/** Add an interval to those that were heard: in order, without overlaps. */
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

export function coveredSeconds(heard: readonly Interval[]): number {
  return heard.reduce((sum, [from, to]) => sum + to - from, 0);
}

export function rangesOf(heard: readonly Interval[], sampleRateHz: number): Range[] {
  return heard.map(([from, to]) => ({ start: Math.round(from * sampleRateHz), stop: Math.round(to * sampleRateHz) }));
}
