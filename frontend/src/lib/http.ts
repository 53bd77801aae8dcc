// Requests to our own API: JSON in and out, retries with growing pauses, and UUIDs.
import type { Scope, WakeSignal } from "./scope.ts";

/** The server answered, and said no (RFC 9457). */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly data: Record<string, unknown>;
  /** How long the server asks to be left alone (Retry-After); 0 where it does not say. */
  readonly retryAfterMs: number;

  constructor(
    status: number,
    body: { code?: string; detail?: string; data?: Record<string, unknown> },
    retryAfterMs = 0,
  ) {
    super(body.detail ?? "");
    this.status = status;
    this.code = body.code ?? "";
    this.data = body.data ?? {};
    this.retryAfterMs = retryAfterMs;
  }

  /** The cookie of the session or its CSRF secret is gone: opening the link, or signing in, again brings it back. */
  get sessionLost(): boolean {
    return this.status === 401 || this.status === 403;
  }

  /** Saying the same again later may help. */
  get passing(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 425 || this.status === 429;
  }
}

/** No answer: no network, a restart, a time-out. Nothing is known about what the server did. */
export class Unreachable extends Error {}

interface Ask {
  /** Otherwise GET, or POST where there is JSON to send. */
  method?: "DELETE";
  headers?: Record<string, string>;
  json?: unknown;
  csrf?: string;
  signal?: AbortSignal;
  keepalive?: boolean;
  timeoutMs?: number;
}

export async function request(url: string, ask: Ask = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...ask.headers };
  if (ask.json !== undefined) headers["Content-Type"] = "application/json";
  if (ask.csrf) headers["X-CSRFToken"] = ask.csrf;
  const limits = [AbortSignal.timeout(ask.timeoutMs ?? 20_000), ...(ask.signal ? [ask.signal] : [])];
  let response: Response;
  try {
    response = await fetch(url, {
      method: ask.method ?? (ask.json === undefined ? "GET" : "POST"),
      headers,
      body: ask.json === undefined ? null : JSON.stringify(ask.json),
      credentials: "same-origin",
      cache: "no-store",
      keepalive: ask.keepalive ?? false,
      signal: AbortSignal.any(limits),
    });
  } catch (cause) {
    throw new Unreachable("no answer", { cause });
  }
  if (!response.ok) throw new Problem(response.status, await problemBody(response), retryAfterMs(response));
  return response;
}

export async function requestJson<T>(url: string, ask: Ask = {}): Promise<T> {
  const response = await request(url, ask);
  try {
    return (await response.json()) as T;
  } catch (cause) {
    throw new Unreachable("the answer was cut short", { cause });
  }
}

function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get("Retry-After"));
  return seconds > 0 ? seconds * 1000 : 0; // a date instead of seconds is not ours
}

async function problemBody(response: Response): Promise<Record<string, never>> {
  try {
    return (await response.json()) as Record<string, never>;
  } catch {
    return {}; // a proxy's own page: the status is all there is
  }
}

export const LONGEST_PAUSE_MS = 30_000;
const FIRST_PAUSE_MS = 500;

interface Retry {
  scope: Scope;
  /** Told after every failure, before the pause. */
  onFailure: (error: unknown) => void;
  /** Which failures end the matter at once; a lost session does not, because the link can be opened in another tab. */
  isFinal?: (error: unknown) => boolean;
  /** Ends a pause early: the network came back, or Retry was pressed. */
  wakeSignal: WakeSignal;
}

const never = new Promise<never>(() => {});

/** An answer that asking again would not change. */
export function isFinalError(error: unknown): boolean {
  return error instanceof Problem && !error.passing && !error.sessionLost;
}

/** Twice as long after every failure, up to 30 s; the lower half is fixed, the upper half drawn, so that clients spread. */
export function pauseAfter(failures: number, random: () => number = Math.random): number {
  const ceiling = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16));
  return ceiling / 2 + (random() * ceiling) / 2;
}

/** How long the server asked to be left alone, within reason. */
export function askedPause(error: unknown): number {
  return error instanceof Problem ? Math.min(LONGEST_PAUSE_MS, error.retryAfterMs) : 0;
}

/** Ask again, after pauses that grow, until there is an answer or an error that is final. */
export async function retrying<T>(
  work: () => Promise<T>,
  { scope, onFailure, isFinal, wakeSignal }: Retry,
): Promise<T> {
  for (let failures = 1; !scope.disposed; failures += 1) {
    let asked = 0;
    try {
      return await work();
    } catch (error) {
      if (isFinal?.(error)) throw error;
      if (!scope.disposed) onFailure(error);
      asked = askedPause(error);
    }
    await wakeSignal.wait(scope, asked + pauseAfter(failures));
  }
  return never; // the page is gone, and with it every waiter
}

/** A random UUID (version 4) also on plain http, where crypto.randomUUID does not exist. */
export function newUuid(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
