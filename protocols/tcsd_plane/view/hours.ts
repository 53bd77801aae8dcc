// Hours of a recording, and the five probes of two seconds in each of them. Pure.
import type { Manifest, Range } from "../../../frontend/src/viewer/remote.ts";
import { formatHour } from "../../../frontend/src/viewer/times.ts";
import type { OwnProbe } from "./contract.ts";

export interface Hour extends Range {
  readonly index: number;
  /** Seconds after midnight at its first sample, or null where the recording knows no clock. */
  readonly clockS: number | null;
}

const HOUR_S = 3600;
// A stretch that is a little longer or shorter than an hour is one hour; what is left of a long one is an hour from a tenth on.
const LONGEST_HOURS = 1.5;
const LEAST_REST = 0.1;

type Timed = Pick<Manifest, "clock" | "length_samples" | "sample_rate_hz">;

/** The hours of a recording: what lies between two separators, or every 3600 seconds where there are none. Pure. */
export function hoursOf({ clock, length_samples, sample_rate_hz }: Timed): Hour[] {
  const whole = { start: 0, stop: length_samples, clock_s: null };
  const stretches = clock.length ? clock : [whole];
  const cut = stretches.flatMap(({ start, stop, clock_s }) => {
    const hour = HOUR_S * sample_rate_hz;
    const hours = (stop - start) / hour;
    const count = hours <= LONGEST_HOURS ? 1 : Math.ceil(hours - LEAST_REST);
    return Array.from({ length: count }, (_, offset) => ({
      start: start + offset * hour,
      stop: offset === count - 1 ? stop : start + (offset + 1) * hour,
      clockS: clock_s === null ? null : clock_s + offset * HOUR_S,
    }));
  });
  return cut.map((hour, index) => ({ ...hour, index }));
}

/** The hour that holds a sample; a separator belongs to the hour before it. */
export function hourAt(hours: readonly Hour[], sample: number): Hour | undefined {
  return hours.findLast(({ start }) => start <= sample) ?? hours[0];
}

/** As short as can be, for a strip of 24: "08", or "08:20" where hours do not begin on the hour. */
export function shortName({ clockS, index }: Hour): string {
  if (clockS === null) return String(index);
  const name = formatHour(clockS);
  return name.endsWith(":00") ? name.slice(0, 2) : name;
}

function hoursAndMinutes(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}`;
}

/** "08:00–09:00" by the clock; file time where there is none. */
export function longName({ clockS, start, stop }: Hour, sampleRateHz: number): string {
  const [fromS, toS] = [start / sampleRateHz, stop / sampleRateHz];
  if (clockS === null) return `${hoursAndMinutes(fromS)}–${hoursAndMinutes(toS)}`;
  return `${formatHour(clockS)}–${formatHour(clockS + toS - fromS)}`;
}

export const PROBES_AN_HOUR = 5;
const PROBE_S = 2;
const PLACES = 1e4;

export interface Probe extends Range {
  readonly id: string;
  readonly hour: number;
  /** From 1 to 5. */
  readonly number: number;
}

/** Five probes of two seconds in every hour, one in each fifth of it: where they lie and where they may be moved. Pure. */
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
