// What happens in the browser and is no answer, told to the server: a clip that failed, a changed device, a pause.
import { requestJson } from "../lib/http.ts";
import { newUuid } from "../lib/uuid.ts";
import type { Json } from "../outbox/events.ts";

export type ReportKind = "clip" | "device" | "hidden" | "stall" | "error" | "pause";

export class Reports {
  readonly #url: string;
  readonly #csrf: string;

  constructor(url: string, csrf: string) {
    this.#url = url;
    this.#csrf = csrf;
  }

  /** Tell it if it can be told; nothing waits for the answer. */
  mention(kind: ReportKind, detail: { [key: string]: Json } = {}, trial?: string): void {
    this.send(kind, newUuid(), detail, trial).catch(() => {});
  }

  /** Tell it under an id of its own, so that telling it twice is telling it once. */
  send(
    kind: ReportKind,
    event_id: string,
    detail: { [key: string]: Json },
    trial?: string,
  ): Promise<{ skipped?: boolean; enough?: boolean }> {
    const json = { event_id, kind, detail, ...(trial ? { trial } : {}) };
    return requestJson(this.#url, { json, csrf: this.#csrf, keepalive: true });
  }
}
