// What was truly heard, from the audio clock alone. Pure.
import type { Heard } from "../outbox/events.ts";

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
export interface Circumstances {
  sampleRateHz: number;
  latencyS: number;
  levelDb: number;
  /** From the end of the last presentation to the answer. */
  answerMs: number;
}

/** The record that goes with an answer. A voided presentation was interrupted by circumstance and is not a play. */
export function summarise(
  presentations: readonly SlotPresentation[],
  slots: readonly string[],
  { sampleRateHz, latencyS, levelDb, answerMs }: Circumstances,
): Heard {
  const plays = presentations.filter((presentation) => presentation.outcome !== "voided");
  const of = (slot: string) => plays.filter((play) => play.slot === slot);
  const last = plays.at(-1);
  const ms = (seconds: number) => Math.round(seconds * 1000);
  return {
    plays: Math.max(0, ...slots.map((slot) => of(slot).length)),
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
