// Requests to our own API: JSON in and out, refusals as Problem, no answer at all as Unreachable.

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

/** Nobody answered: no network, a restart, a time-out. Nothing is known about what the server did. */
export class Unreachable extends Error {}

export interface Ask {
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
