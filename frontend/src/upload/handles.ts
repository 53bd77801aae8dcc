// Remembers which folders an import is sent from, where the browser can open them again (File System Access).
import { type DBSchema, openDB } from "idb";
import type { Handle } from "./entries.ts";

interface Schema extends DBSchema {
  handles: { key: string; value: Handle[] };
}

const open = () =>
  openDB<Schema>("earmark-uploads", 1, {
    upgrade(database) {
      database.createObjectStore("handles");
    },
  });

/** Add to what is remembered; a browser that cannot do it asks for the files again after a reload. */
export async function remember(intake: string, handles: readonly Handle[]): Promise<void> {
  if (!handles.length) return;
  try {
    const database = await open();
    const known = (await database.get("handles", intake)) ?? [];
    await database.put("handles", [...known, ...handles], intake);
    database.close();
  } catch {
    // Not remembered; nothing else depends on it.
  }
}

export async function recall(intake: string): Promise<Handle[]> {
  try {
    const database = await open();
    const known = (await database.get("handles", intake)) ?? [];
    database.close();
    return known;
  } catch {
    return [];
  }
}

export async function forgetHandles(intake: string): Promise<void> {
  try {
    const database = await open();
    await database.delete("handles", intake);
    database.close();
  } catch {
    // There was nothing to forget.
  }
}

/** Those that may be read; `ask` needs a click behind it. */
export async function permitted(handles: readonly Handle[], ask: boolean): Promise<Handle[]> {
  const open: Handle[] = [];
  for (const handle of handles) {
    const wish = { mode: "read" } as const;
    let state = (await handle.queryPermission?.(wish)) ?? "denied";
    if (state === "prompt" && ask) state = (await handle.requestPermission?.(wish)) ?? "denied";
    if (state === "granted") open.push(handle);
  }
  return open;
}
