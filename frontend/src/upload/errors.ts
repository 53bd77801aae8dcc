// Errors of upload requests: whether to try again, to give the file up, or to stop everything. Pure.
import { Unreadable } from "./droppedFiles.ts";

export type Trouble = "network" | "session" | "disk";

export type Recovery =
  | { verdict: "again"; trouble: Trouble | null; pauseMs: number | null }
  /** Nothing of this import can be sent any more. */
  | { verdict: "over" }
  | { verdict: "failed"; why: "unreadable" | "gone" | "refused"; detail: string };

/** As much of tus-js-client's DetailedError as matters here. */
interface Failure {
  causingError?: unknown;
  originalResponse?: {
    getStatus(): number;
    getHeader(name: string): string | undefined | null;
    getBody(): string;
  } | null;
}

/** Another request holds the file, the offset is another one, or a piece was damaged: asking again mends it. */
const MENDS_ITSELF = new Set([408, 409, 423, 425, 429, 460, 503]);
const FULL = 507;

export function recoveryOf(problem: unknown): Recovery {
  const { causingError, originalResponse: response } = (problem ?? {}) as Failure;
  if (causingError instanceof Unreadable) return { verdict: "failed", why: "unreadable", detail: "" };
  if (!response) return again("network");
  const status = response.getStatus();
  const { code, detail } = bodyOf(response.getBody());
  if (status === 410 || code === "upload.closed") return { verdict: "over" };
  if (status === 404) return { verdict: "failed", why: "gone", detail };
  if (status === 401 || status === 403) return again("session");
  if (MENDS_ITSELF.has(status)) return again(null, pauseOf(response.getHeader("Retry-After")));
  if (status === FULL) return again("disk", pauseOf(response.getHeader("Retry-After")));
  if (status === 0 || status >= 500) return again("network");
  return { verdict: "failed", why: "refused", detail };
}

function again(trouble: Trouble | null, pauseMs: number | null = null): Recovery {
  return { verdict: "again", trouble, pauseMs };
}

function pauseOf(header: string | undefined | null): number | null {
  const seconds = Number.parseInt(header ?? "", 10);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

function bodyOf(text: string): { code: string; detail: string } {
  try {
    const { code = "", detail = "" } = JSON.parse(text) as { code?: string; detail?: string };
    return { code, detail };
  } catch {
    return { code: "", detail: "" }; // a proxy's own page, or the answer to a HEAD
  }
}
