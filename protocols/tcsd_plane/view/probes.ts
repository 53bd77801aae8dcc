// Five probes of two seconds in every hour, one in each fifth of it: where they lie and where they may be moved. Pure.
import type { Range } from "../../../frontend/src/viewer/contract.ts";
import type { OwnProbe } from "./contract.ts";
import type { Hour } from "./hours.ts";

export const PROBES_AN_HOUR = 5;
export const PROBE_S = 2;
const PLACES = 1e4;

export interface Probe extends Range {
  readonly id: string;
  readonly hour: number;
  /** From 1 to 5. */
  readonly number: number;
}

export function probeId(hour: number, number: number): string {
  return `${hour}.${number}`;
}

/** One fifth of an hour: twelve minutes of a full one. */
export function fifthOf({ start, stop }: Range, number: number): Range {
  const edge = (count: number) => start + Math.round(((stop - start) * count) / PROBES_AN_HOUR);
  return { start: edge(number - 1), stop: edge(number) };
}

/** Which fifth a sample of the hour lies in. */
export function fifthAt({ start, stop }: Range, sample: number): number {
  const number = Math.floor(((sample - start) / (stop - start)) * PROBES_AN_HOUR) + 1;
  return Math.min(Math.max(number, 1), PROBES_AN_HOUR);
}

/** The probe at a share of its fifth: 0 begins with it, 1 ends with it. */
export function probeAt(hour: Hour, number: number, share: number, sampleRateHz: number): Probe {
  const fifth = fifthOf(hour, number);
  const length = Math.min(PROBE_S * sampleRateHz, fifth.stop - fifth.start);
  const start = fifth.start + Math.round(share * (fifth.stop - fifth.start - length));
  return { id: probeId(hour.index, number), hour: hour.index, number, start, stop: start + length };
}

/** The share at which a probe begins at a sample, or as near to it as its fifth allows. */
export function shareOf(hour: Hour, number: number, sample: number, sampleRateHz: number): number {
  const fifth = fifthOf(hour, number);
  const room = fifth.stop - fifth.start - PROBE_S * sampleRateHz;
  if (room <= 0) return 0;
  return Math.round(Math.min(Math.max((sample - fifth.start) / room, 0), 1) * PLACES) / PLACES;
}

/** All probes of a recording in order: where the plan puts them, and where the rater has put them instead. */
export function allProbes(
  hours: readonly Hour[],
  planned: readonly (readonly number[])[],
  own: readonly OwnProbe[],
  sampleRateHz: number,
): Probe[] {
  const moved = new Map(own.map(({ hour, number, share }) => [probeId(hour, number), share]));
  return hours.flatMap((hour) =>
    Array.from({ length: PROBES_AN_HOUR }, (_, offset) => {
      // A recording of more than a day goes through the plan again.
      const plan = planned.length ? planned[hour.index % planned.length]?.[offset] : undefined;
      const share = moved.get(probeId(hour.index, offset + 1)) ?? plan;
      return share === undefined ? [] : [probeAt(hour, offset + 1, share, sampleRateHz)];
    }).flat(),
  );
}

/** The same list with one probe put somewhere else. */
export function withOwn(own: readonly OwnProbe[], probe: OwnProbe): OwnProbe[] {
  const others = own.filter(({ hour, number }) => hour !== probe.hour || number !== probe.number);
  return [...others, probe].sort((one, other) => one.hour - other.hour || one.number - other.number);
}
