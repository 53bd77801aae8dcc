// Transfer rate, time left, and their texts. Pure: time is passed in.
import { fill, gettext } from "../lib/i18n.ts";

const WINDOW_MS = 15_000;
const SHORTEST_MS = 1_000;

/** The speed over the last seconds: long enough to be steady, short enough to notice a change of network. */
export class TransferRate {
  #marks: { at: number; bytes: number }[] = [];

  /** So many bytes have gone out in all. */
  note(at: number, bytes: number): void {
    if (bytes < (this.#marks.at(-1)?.bytes ?? 0)) this.#marks = []; // a piece is sent again
    this.#marks.push({ at, bytes });
    while (this.#marks.length > 2 && at - (this.#marks[0]?.at ?? at) > WINDOW_MS) this.#marks.shift();
  }

  /** After a pause the time that passed says nothing about the network. */
  forget(): void {
    this.#marks = [];
  }

  /** Bytes a second, or null while there is too little to say. */
  speed(): number | null {
    const first = this.#marks[0];
    const last = this.#marks.at(-1);
    if (!first || !last || last.at - first.at < SHORTEST_MS) return null;
    return ((last.bytes - first.bytes) * 1000) / (last.at - first.at);
  }

  secondsLeft(bytesLeft: number): number | null {
    const speed = this.speed();
    return speed ? bytesLeft / speed : null;
  }
}

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;

/** 1.4 GB, in powers of ten as disks are sold and quotas are counted. */
export function sizeText(bytes: number, language: string): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const options: Intl.NumberFormatOptions = {
    style: "unit",
    unit: UNITS[step] ?? "byte",
    unitDisplay: step ? "short" : "long",
    maximumFractionDigits: step > 1 ? 1 : 0,
  };
  return new Intl.NumberFormat(language || undefined, options).format(bytes / 1000 ** step);
}

/** Seconds, then minutes, then hours; rounded up. */
export function timeText(seconds: number): string {
  if (seconds < 60) return fill(gettext("{n} s"), { n: Math.max(1, Math.ceil(seconds)) });
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return fill(gettext("{n} min"), { n: minutes });
  return fill(gettext("{hours} h {minutes} min"), { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}
