// Queue of the files of one import and how far each has come; matching of chosen files. Pure.
import type { Picked } from "./droppedFiles.ts";

interface Expected {
  path: string;
  size: number;
}

interface Matches {
  /** By the path under which the file was announced. */
  found: Map<string, File>;
  /** Announced, but with another length: another file under the same name. */
  changed: Picked[];
  /** Not announced. */
  others: Picked[];
}

/** The same path and length; or one path being the end of the other, as when only a part of the folder is dropped again. */
export function matchFiles(picked: readonly Picked[], expected: readonly Expected[]): Matches {
  const byPath = new Map(expected.map((one) => [one.path, one]));
  const byEnd = Map.groupBy(expected, ({ path, size }) => endKey(path, size));
  const matches: Matches = { found: new Map(), changed: [], others: [] };
  for (const one of picked) {
    const named = byPath.get(one.path);
    const meant = named ?? theOnly((byEnd.get(endKey(one.path, one.file.size)) ?? []).filter(endingLike(one.path)));
    if (!meant) matches.others.push(one);
    else if (meant.size !== one.file.size) matches.changed.push(one);
    else matches.found.set(meant.path, one.file);
  }
  return matches;
}

function endKey(path: string, size: number): string {
  return `${size} ${path.slice(path.lastIndexOf("/") + 1)}`;
}

function endingLike(path: string): (one: Expected) => boolean {
  return (one) => `/${one.path}`.endsWith(`/${path}`) || `/${path}`.endsWith(`/${one.path}`);
}

function theOnly<T>(candidates: readonly T[]): T | undefined {
  return candidates.length === 1 ? candidates[0] : undefined;
}

type RowState = "waiting" | "sending" | "retrying" | "done" | "absent" | "failed";

/** A file as the server knows it. */
export interface DeclaredFile {
  path: string;
  byte_count: number;
  received_bytes: number;
  upload_url: string;
}

export interface Row {
  readonly path: string;
  readonly size: number;
  readonly url: string;
  /** On the server's disk for certain. */
  received: number;
  /** What the running request has sent beyond that, and the server may have or not. */
  underway: number;
  state: RowState;
  file: File | null;
  trouble: string;
}

export interface Totals {
  files: number;
  done: number;
  absent: number;
  failed: number;
  bytes: number;
  sent: number;
}

const SHOWN_FIRST: RowState[] = ["failed", "retrying", "sending", "absent", "waiting", "done"];

/** The files of one import and how far each has come; knows nothing of pages or networks. */
export class UploadQueue {
  readonly #rows = new Map<string, Row>();

  get rows(): Row[] {
    return [...this.#rows.values()];
  }

  /** Take over what the server says; what is known already keeps its file. */
  announce(files: readonly DeclaredFile[]): void {
    for (const { path, byte_count, received_bytes, upload_url } of files) {
      if (this.#rows.has(path)) continue;
      const state = received_bytes === byte_count ? "done" : "absent";
      const empty = { underway: 0, file: null, trouble: "" };
      this.#rows.set(path, { path, size: byte_count, url: upload_url, received: received_bytes, state, ...empty });
    }
  }

  /** Give files to the rows that lack them; returns what belongs to none, and what has changed. */
  supply(picked: readonly Picked[]): { changed: Picked[]; others: Picked[] } {
    const { found, changed, others } = matchFiles(picked, this.rows);
    for (const [path, file] of found) {
      const row = this.#rows.get(path);
      if (!row || (row.state !== "absent" && row.state !== "failed")) continue;
      Object.assign(row, { file, state: "waiting", trouble: "" });
    }
    return { changed, others };
  }

  remove(row: Row): void {
    this.#rows.delete(row.path);
  }

  next(): Row | undefined {
    return this.rows.find((row) => row.state === "waiting");
  }

  totals(): Totals {
    const totals: Totals = { files: 0, done: 0, absent: 0, failed: 0, bytes: 0, sent: 0 };
    for (const row of this.#rows.values()) {
      totals.files += 1;
      totals.bytes += row.size;
      totals.sent += Math.min(row.size, row.received + row.underway);
      if (row.state === "done" || row.state === "absent" || row.state === "failed") totals[row.state] += 1;
    }
    return totals;
  }

  get complete(): boolean {
    return this.#rows.size > 0 && this.rows.every((row) => row.state === "done");
  }

  /** What a person should see: all in order, or of thousands trouble first, then what moves, then the rest. */
  shown(most: number): Row[] {
    if (this.#rows.size <= most) return this.rows;
    const groups = Map.groupBy(this.#rows.values(), (row) => row.state);
    return SHOWN_FIRST.flatMap((state) => groups.get(state) ?? []).slice(0, most);
  }
}
