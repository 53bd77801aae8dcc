// Between file time and clock time, where hour separators or a known start tell what time of day it was. Pure.
import type { Stretch } from "./contract.ts";

const DAY_S = 86_400;

/** Seconds after midnight of the first day, or null between two stretches, where the recording has no clock. */
export function clockAt(stretches: readonly Stretch[], sample: number, sampleRateHz: number): number | null {
  const stretch = stretches.find(({ start, stop }) => sample >= start && sample < stop);
  return stretch ? stretch.clock_s + (sample - stretch.start) / sampleRateHz : null;
}

/** The sample at a time of day: the first one, or null if the recording was not running then. */
export function sampleAtClock(stretches: readonly Stretch[], clockS: number, sampleRateHz: number): number | null {
  for (const { start, stop, clock_s } of stretches) {
    const sample = start + Math.round((clockS - clock_s) * sampleRateHz);
    if (sample >= start && sample < stop) return sample;
  }
  return null;
}

/** Samples at which a whole hour of the clock begins. */
export function hourStarts(stretches: readonly Stretch[], sampleRateHz: number): number[] {
  return stretches.flatMap(({ start, stop, clock_s }) => {
    const first = Math.ceil(clock_s / 3600);
    const last = Math.ceil((clock_s + (stop - start) / sampleRateHz) / 3600) - 1;
    const hours = Array.from({ length: Math.max(last - first + 1, 0) }, (_, offset) => first + offset);
    return hours.map((hour) => start + Math.round((hour * 3600 - clock_s) * sampleRateHz));
  });
}

/** The same time on the dial of a clock. */
export function ofDay(clockS: number): number {
  return ((clockS % DAY_S) + DAY_S) % DAY_S;
}
