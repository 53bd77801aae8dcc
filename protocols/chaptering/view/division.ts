// How a recording is divided: its first chapter, and the marks at which others begin. Pure; nothing snaps to anything.
import type { Payload } from "./contract.ts";

export interface Mark {
  readonly id: string;
  readonly atS: number;
  readonly title: string;
}

/** Marks in the order of time, each at a millisecond of its own inside the recording. */
export interface Division {
  readonly opening: string;
  readonly marks: readonly Mark[];
}

export const LONGEST_TITLE = 300;
/** The first chapter, which has no mark. */
export const OPENING = "opening";

/** Milliseconds are finer than anybody hears a chapter begin, and exact in what is sent. */
const toMs = (seconds: number) => Math.round(seconds * 1000);

export function divisionOf({ opening = "", boundaries = [] }: Partial<Payload>): Division {
  return { opening, marks: boundaries.map(({ at_s, title }, index) => ({ id: `m${index + 1}`, atS: at_s, title })) };
}

export function boundariesOf({ marks }: Division): Payload["boundaries"] {
  return marks.map(({ atS, title }) => ({ at_s: atS, title }));
}

export function indexOf({ marks }: Division, id: string | null): number {
  return marks.findIndex((mark) => mark.id === id);
}

/** The number of the chapter that begins at a mark; the first chapter is 1 and has none. */
export function numberOf(division: Division, id: string | null): number {
  return indexOf(division, id) + 2;
}

export function markAt({ marks }: Division, seconds: number): Mark | undefined {
  return marks.find((mark) => toMs(mark.atS) === toMs(seconds));
}

export function isInside(seconds: number, durationS: number): boolean {
  return toMs(seconds) > 0 && toMs(seconds) / 1000 < durationS;
}

/** The division with one mark more, and that mark; nothing where a boundary cannot lie or lies already. */
export function withMark(
  division: Division,
  seconds: number,
  durationS: number,
): { division: Division; id: string } | null {
  if (!isInside(seconds, durationS) || markAt(division, seconds)) return null;
  const id = freeId(division);
  return { division: sorted(division, [...division.marks, { id, atS: toMs(seconds) / 1000, title: "" }]), id };
}

/** The division with a mark elsewhere: no farther than the ends, and a millisecond on where another one lies. */
export function withMoved(division: Division, id: string, seconds: number, durationS: number): Division {
  const mark = division.marks[indexOf(division, id)];
  if (!mark) return division;
  const taken = new Set(division.marks.filter((other) => other !== mark).map(({ atS }) => toMs(atS)));
  const last = Math.ceil(durationS * 1000) - 1;
  const way = seconds < mark.atS ? -1 : 1;
  let at = Math.min(Math.max(toMs(seconds), 1), last);
  while (taken.has(at) && at + way >= 1 && at + way <= last) at += way;
  if (taken.has(at) || at === toMs(mark.atS)) return division;
  return sorted(
    division,
    division.marks.map((other) => (other === mark ? { ...mark, atS: at / 1000 } : other)),
  );
}

export function without(division: Division, id: string): Division {
  return { ...division, marks: division.marks.filter((mark) => mark.id !== id) };
}

export function withTitle(division: Division, id: string, title: string): Division {
  const cut = title.slice(0, LONGEST_TITLE);
  if (id === OPENING) return { ...division, opening: cut };
  return { ...division, marks: division.marks.map((mark) => (mark.id === id ? { ...mark, title: cut } : mark)) };
}

/** The nearest mark before (-1) or after (1) a moment. */
export function nextTo({ marks }: Division, seconds: number, way: -1 | 1): Mark | undefined {
  if (way > 0) return marks.find(({ atS }) => toMs(atS) > toMs(seconds));
  return marks.findLast(({ atS }) => toMs(atS) < toMs(seconds));
}

/** The numbers of the chapters without a title. */
export function untitled({ opening, marks }: Division): number[] {
  return [opening, ...marks.map(({ title }) => title)].flatMap((title, index) => (title.trim() ? [] : [index + 1]));
}

function sorted(division: Division, marks: readonly Mark[]): Division {
  return { ...division, marks: marks.toSorted((one, other) => one.atS - other.atS) };
}

function freeId({ marks }: Division): string {
  return `m${1 + Math.max(0, ...marks.map(({ id }) => Number(id.slice(1))))}`;
}
