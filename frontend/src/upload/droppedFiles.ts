// Dropped or chosen files with their paths: from folders, from pickers, and from handles that outlive the page.
import { type DBSchema, type IDBPDatabase, openDB } from "idb";

interface Schema extends DBSchema {
  handles: { key: string; value: Handle[] };
}

/** A browser that cannot keep handles asks for the files again after a reload; nothing else depends on it. */
async function askHandles<T>(question: (database: IDBPDatabase<Schema>) => Promise<T>, otherwise: T): Promise<T> {
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

/** Handles of the folders that an import is sent from, where the browser can open them again (File System Access). */
export function recallHandles(importId: string): Promise<Handle[]> {
  return askHandles(async (database) => (await database.get("handles", importId)) ?? [], []);
}

/** Add to what is remembered. */
export async function rememberHandles(importId: string, handles: readonly Handle[]): Promise<void> {
  if (!handles.length) return;
  const known = await recallHandles(importId);
  await askHandles(
    async (database) => void (await database.put("handles", [...known, ...handles], importId)),
    undefined,
  );
}

export function forgetHandles(importId: string): Promise<void> {
  return askHandles((database) => database.delete("handles", importId), undefined);
}

/** Handles that may be read; a browser lets a page `ask` only after a click. */
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

export interface Picked {
  path: string;
  file: File;
}

export interface Collected {
  files: Picked[];
  /** Files that an operating system put there for itself. */
  ignored: number;
}

/** What was chosen cannot be read, or not any more: forbidden, moved, changed, or its disk is gone. */
export class Unreadable extends Error {
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`cannot read ${path}`, { cause });
    this.path = path;
  }
}

/** A file or a folder that the browser may open again later (File System Access). */
export type Handle = FileSystemHandle & {
  values?: () => AsyncIterable<Handle>;
  getFile?: () => Promise<File>;
  queryPermission?: (wish: { mode: "read" }) => Promise<PermissionState>;
  requestPermission?: (wish: { mode: "read" }) => Promise<PermissionState>;
};

type OpenItem = DataTransferItem & { getAsFileSystemHandle?: () => Promise<Handle | null> };

const SYSTEM_FILES = new Set(["Thumbs.db", "desktop.ini", "__MACOSX", "$RECYCLE.BIN"]);

function isSystemFile(name: string): boolean {
  return name.startsWith(".") || SYSTEM_FILES.has(name);
}

/** Gathers files on the way through folders, and tells how many it has. */
class Basket implements Collected {
  readonly files: Picked[] = [];
  ignored = 0;
  readonly #onCount: (count: number) => void;

  constructor(onCount: (count: number) => void) {
    this.#onCount = onCount;
  }

  /** macOS decomposes the names of files; tables and the server do not. */
  add(path: string, file: File): void {
    if (path.split("/").some(isSystemFile)) {
      this.ignored += 1;
      return;
    }
    this.files.push({ path: path.normalize("NFC"), file });
    if (this.files.length % 100 === 0) this.#onCount(this.files.length);
  }
}

/** Of a drop. Must be called while the event is handled: afterwards the browser forgets the items. */
export function openDrop(transfer: DataTransfer): { handles: Promise<Handle[]>; entries: FileSystemEntry[] } {
  const items = [...transfer.items].filter((item) => item.kind === "file") as OpenItem[];
  const entries = items.flatMap((item) => item.webkitGetAsEntry() ?? []);
  const asked = items.map((item) => item.getAsFileSystemHandle?.().catch(() => null) ?? null);
  const handles = Promise.all(asked).then((found) => found.flatMap((handle) => handle ?? []));
  return { handles, entries };
}

export async function fromEntries(
  entries: readonly FileSystemEntry[],
  onCount: (count: number) => void = () => {},
): Promise<Collected> {
  const basket = new Basket(onCount);
  const waiting = [...entries];
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (entry.isDirectory && isSystemFile(entry.name)) basket.ignored += 1;
    else if (entry.isDirectory) waiting.push(...(await opened(path, childrenOf(entry as FileSystemDirectoryEntry))));
    else basket.add(path, await opened(path, fileOf(entry as FileSystemFileEntry)));
  }
  return basket;
}

export async function fromHandles(
  handles: readonly Handle[],
  onCount: (count: number) => void = () => {},
): Promise<Collected> {
  const basket = new Basket(onCount);
  const waiting = handles.map((handle) => ({ handle, path: handle.name }));
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { handle, path } = next;
    if (handle.getFile) basket.add(path, await opened(path, handle.getFile()));
    else if (isSystemFile(handle.name)) basket.ignored += 1;
    else
      for (const inner of await opened(path, innerOf(handle)))
        waiting.push({ handle: inner, path: `${path}/${inner.name}` });
  }
  return basket;
}

export function fromInput(files: Iterable<File>): Collected {
  const basket = new Basket(() => {});
  for (const file of files) basket.add(file.webkitRelativePath || file.name, file);
  return basket;
}

/** Whatever goes wrong with a file or a folder is told under its path. */
async function opened<T>(path: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (cause) {
    throw new Unreadable(path, cause);
  }
}

async function innerOf(folder: Handle): Promise<Handle[]> {
  const inner: Handle[] = [];
  for await (const handle of folder.values?.() ?? []) inner.push(handle);
  return inner;
}

/** A folder hands out its content in portions; an empty one is the last. */
async function childrenOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!portion.length) return children;
    children.push(...portion);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
