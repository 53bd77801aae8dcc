// Model of the rater's notes: a list of own sources, which of them are most present in each hour, and free text. Pure.
import type { HourNote, Workspace } from "./contract.ts";

type Notes = Pick<Workspace, "sources" | "hours">;

const LONGEST_NAME = 60;

const same = (one: string, other: string) => one.localeCompare(other, undefined, { sensitivity: "accent" }) === 0;
const isEmpty = ({ present, note }: HourNote) => !present.length && !note.trim();

export class NotesModel {
  #sources: string[];
  readonly #hours: Map<number, HourNote>;
  readonly #changed: () => void;

  constructor({ sources = [], hours = [] }: Partial<Notes>, changed: () => void) {
    this.#sources = [...sources];
    this.#hours = new Map(hours.map((hour) => [hour.hour, hour]));
    this.#changed = changed;
  }

  get sources(): readonly string[] {
    return this.#sources;
  }

  /** What has been noted, hour by hour; an hour about which nothing is noted is not in it. */
  get hours(): HourNote[] {
    return [...this.#hours.values()].filter((hour) => !isEmpty(hour)).sort((one, other) => one.hour - other.hour);
  }

  hour(index: number): HourNote {
    return this.#hours.get(index) ?? { hour: index, present: [], note: "" };
  }

  isNoted(index: number): boolean {
    return !isEmpty(this.hour(index));
  }

  /** Its name as it stands in the list, or null where nothing was written. A source is in the list once. */
  addSource(text: string): string | null {
    const name = text.trim().replace(/\s+/g, " ").slice(0, LONGEST_NAME);
    if (!name) return null;
    const known = this.#sources.find((source) => same(source, name));
    if (known) return known;
    this.#sources = [...this.#sources, name];
    this.#changed();
    return name;
  }

  uses(source: string): number {
    return this.hours.filter(({ present }) => present.includes(source)).length;
  }

  /** A source that stands in an hour stays: a wrong click must not take notes away. */
  removeSource(source: string): boolean {
    if (this.uses(source)) return false;
    this.#sources = this.#sources.filter((other) => other !== source);
    this.#changed();
    return true;
  }

  toggle(index: number, source: string): void {
    const { present, note } = this.hour(index);
    const without = present.filter((other) => other !== source);
    this.#write({ hour: index, present: without.length < present.length ? without : [...present, source], note });
  }

  setNote(index: number, note: string): void {
    this.#write({ ...this.hour(index), note });
  }

  #write(hour: HourNote): void {
    this.#hours.set(hour.hour, hour);
    this.#changed();
  }
}
