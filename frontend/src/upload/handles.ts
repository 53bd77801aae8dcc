// Remembers which folders an import is sent from, where the browser can open them again (File System Access).
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import type { Handle } from "./entries.ts";

interface Schema extends DBSchema {
  handles: { key: string; value: Handle[] };
}

/** A browser that cannot keep handles asks for the files again after a reload; nothing else depends on it. */
async function ask<T>(question: (database: IDBPDatabase<Schema>) => Promise<T>, otherwise: T): Promise<T> {
  try {
    const database = await openDB<Schema>("earmark-uploads", 1, {
      upgrade(fresh) {
        fresh.createObjectStore("handles");
      },
    });
    return await question(database).finally(() => database.close());
  } catch {
    return otherwise;
  }
}

export function recall(intake: string): Promise<Handle[]> {
  return ask(async (database) => (await database.get("handles", intake)) ?? [], []);
}

/** Add to what is remembered. */
export async function remember(intake: string, handles: readonly Handle[]): Promise<void> {
  if (!handles.length) return;
  const known = await recall(intake);
  await ask(async (database) => void (await database.put("handles", [...known, ...handles], intake)), undefined);
}

export function forgetHandles(intake: string): Promise<void> {
  return ask((database) => database.delete("handles", intake), undefined);
}

/** Those that may be read; to `ask` for it needs a click behind it. */
export async function permitted(handles: readonly Handle[], { ask }: { ask: boolean }): Promise<Handle[]> {
  const open: Handle[] = [];
  for (const handle of handles) if ((await permissionOf(handle, ask)) === "granted") open.push(handle);
  return open;
}

async function permissionOf(handle: Handle, ask: boolean): Promise<PermissionState> {
  const wish = { mode: "read" } as const;
  try {
    const state = (await handle.queryPermission?.(wish)) ?? "denied";
    return state === "prompt" && ask ? ((await handle.requestPermission?.(wish)) ?? "denied") : state;
  } catch {
    return "denied"; // the click was too long ago, or the folder is gone for good
  }
}
