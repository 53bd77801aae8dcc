// Times of the file and of the clock, frequencies and levels as text and back. Pure.
import { decimal } from "../lib/i18n.ts";
import type { Stretch } from "./remote.ts";

const two = (value: number) => String(value).padStart(2, "0");

interface Parts {
  hours: number;
  minutes: number;
  seconds: string;
}

/** Split without ever showing 60 seconds: the rounding comes first. */
function split(seconds: number, decimals: number): Parts {
  const scale = 10 ** decimals;
  const units = Math.round(seconds * scale);
  const whole = Math.floor(units / scale);
  const fraction = decimals ? `.${String(units - whole * scale).padStart(decimals, "0")}` : "";
  return { hours: Math.floor(whole / 3600), minutes: Math.floor(whole / 60) % 60, seconds: two(whole % 60) + fraction };
}

/** 0:03.250, 12:05, 3:12:05: hours only where there are any. */
export function formatTime(seconds: number, decimals = 0): string {
  const { hours, minutes, seconds: rest } = split(Math.max(seconds, 0), decimals);
  return decimal(hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`);
}

/** 08:24:10, as on a clock. */
export function formatClock(clockS: number, decimals = 0): string {
  const rounded = Math.round(clockS * 10 ** decimals) / 10 ** decimals;
  const { hours, minutes, seconds } = split(ofDay(rounded), decimals);
  return decimal(`${two(hours)}:${two(minutes)}:${seconds}`);
}

/** 08:24, for a ruler of minutes and hours. */
export function formatHour(clockS: number): string {
  return formatClock(clockS).slice(0, 5);
}

interface SpokenParts {
  h: number;
  m: number;
  s: string;
}

/** Hours, minutes and seconds for a sentence that is read aloud. */
export function spokenParts(seconds: number, decimals = 1): SpokenParts {
  const { hours, minutes, seconds: rest } = split(Math.max(seconds, 0), decimals);
  return { h: hours, m: minutes, s: decimal(String(Number(rest))) };
}

/** Seconds, m:s or h:m:s as they are typed; undefined when it is no time. */
export function parseTime(text: string): number | undefined {
  const trimmed = text.trim().replace(",", ".");
  if (!/^(\d+:){0,2}\d+(\.\d*)?$/.test(trimmed)) return undefined;
  return trimmed.split(":").reduce((total, part) => total * 60 + Number(part), 0);
}

export function formatHz(hz: number): string {
  if (hz < 1000) return `${Math.round(hz)} Hz`;
  return `${decimal((hz / 1000).toFixed(hz < 10_000 ? 2 : 1))} kHz`;
}

/** With a true minus sign, which is as wide as a digit. */
export function formatDb(db: number): string {
  const whole = Math.round(db);
  return `${whole < 0 ? "\u2212" : ""}${Math.abs(whole)} dB`;
}

/** How many decimals of a second tell neighbouring pixels apart. */
export function decimalsFor(secondsPerPixel: number): number {
  if (secondsPerPixel >= 1) return 0;
  return Math.min(Math.max(Math.ceil(-Math.log10(secondsPerPixel)), 1), 3);
}

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
