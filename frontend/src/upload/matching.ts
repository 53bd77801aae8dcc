// Which of the files at hand are those that an import still waits for. Pure.
import type { Picked } from "./entries.ts";

export interface Expected {
  path: string;
  size: number;
}

export interface Matches {
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
