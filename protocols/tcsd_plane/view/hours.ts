// The hours of a recording: what lies between two separators, or every 3600 seconds where there are none. Pure.
import type { Manifest, Range } from "../../../frontend/src/viewer/contract.ts";
import { formatHour } from "../../../frontend/src/viewer/times.ts";

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
