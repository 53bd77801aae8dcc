// Requests about an import, apart from the bytes themselves.
import { request, requestJson } from "../lib/http.ts";
import type { Scope } from "../lib/scope.ts";
import type { Picked } from "./droppedFiles.ts";
import type { DeclaredFile, Row } from "./queue.ts";

/** What Django hands over: addresses, and the import if the page is that of one. */
export interface Config {
  /** Both are empty where the first files open a collection of their own. */
  imports_url: string;
  pages_url: string;
  collections_url: string;
  collection_pages_url: string;
  hashing_url: string;
  import_id: string;
  /** The stimulus whose sound the import replaces, if it does that. */
  stimulus?: string | null;
  csrf: string;
  csrf_cookie: string;
}

/** SHA-256 of an empty file, which is never sent and so never hashed. */
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const LONG_LIST_MS = 120_000;
const TUS_VERSION = "1.0.0";

export class Server {
  readonly #config: Config;
  readonly #scope: Scope;
  #importId: string;
  #importsUrl: string;
  #pagesUrl: string;

  constructor(config: Config, scope: Scope) {
    this.#config = config;
    this.#scope = scope;
    this.#importId = config.import_id;
    this.#importsUrl = config.imports_url;
    this.#pagesUrl = config.pages_url;
  }

  /** Empty until files were announced. */
  get importId(): string {
    return this.#importId;
  }

  get page(): string {
    return `${this.#pagesUrl}${this.#importId}/`;
  }

  /** The cookie's, because signing in again in another tab changes it. */
  csrf(): string {
    const prefix = `${this.#config.csrf_cookie}=`;
    const cookie = document.cookie.split("; ").find((part) => part.startsWith(prefix));
    return cookie?.slice(prefix.length) || this.#config.csrf;
  }

  /** Announce files to the import, which begins with the first of them. */
  async announce(picked: readonly Picked[]): Promise<DeclaredFile[]> {
    const files = picked.map(({ path, file }) => ({ path, byte_count: file.size }));
    if (this.#importId) return this.#post<DeclaredFile[]>(`${this.#importId}/files/`, { files });
    if (!this.#importsUrl) await this.#openCollection(picked);
    const begun = await this.#post<{ id: string; files: DeclaredFile[] }>("", {
      files,
      stimulus: this.#config.stimulus ?? null,
    });
    this.#importId = begun.id;
    return begun.files;
  }

  /** Declare a file in the place of one that a check has seen. */
  replace(path: string, file: File): Promise<DeclaredFile[]> {
    return this.#post<DeclaredFile[]>(`${this.#importId}/replace/`, { files: [{ path, byte_count: file.size }] });
  }

  list(): Promise<DeclaredFile[]> {
    const url = `${this.#importsUrl}${this.#importId}/files/`;
    return requestJson(url, { signal: this.#scope.signal, timeoutMs: LONG_LIST_MS });
  }

  /** Digests went along with the last piece of every file that had one. */
  async submit(rows: readonly Row[]): Promise<void> {
    const empty = rows.filter((row) => row.size === 0);
    const digests = Object.fromEntries(empty.map((row) => [row.path, EMPTY_SHA256]));
    await this.#post(`${this.#importId}/submit/`, { digests });
  }

  /** Take a file off the list, and with it what has arrived (tus termination). */
  async forget(row: Row): Promise<void> {
    const headers = { "Tus-Resumable": TUS_VERSION };
    await request(row.url, { method: "DELETE", headers, csrf: this.csrf(), signal: this.#scope.signal });
  }

  /** A collection with the name of what was chosen. */
  async #openCollection(picked: readonly Picked[]): Promise<void> {
    const { collections_url, collection_pages_url } = this.#config;
    const json = { title: titleOf(picked) };
    const { slug } = await requestJson<{ slug: string }>(collections_url, {
      json,
      csrf: this.csrf(),
      signal: this.#scope.signal,
    });
    this.#importsUrl = `${collections_url}${slug}/imports/`;
    this.#pagesUrl = `${collection_pages_url}${slug}/imports/`;
  }

  #post<T>(path: string, json: unknown): Promise<T> {
    return requestJson<T>(`${this.#importsUrl}${path}`, {
      json,
      csrf: this.csrf(),
      signal: this.#scope.signal,
      timeoutMs: LONG_LIST_MS,
    });
  }
}

/** The name of the folder or of the first file, without what tells its kind. */
export function titleOf(picked: readonly Picked[]): string {
  const [first = "", second] = picked[0]?.path.split("/") ?? [];
  return ((second === undefined ? first.replace(/\.[^.]+$/, "") : first) || first).slice(0, 200);
}
