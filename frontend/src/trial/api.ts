// Requests of a visit: what comes next, every page, the receipt, votes and reports.
import { isFinalError, newUuid, Problem, requestJson, retrying } from "../lib/http.ts";
import { gettext } from "../lib/i18n.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import type { Heard, Json, Listened, VoteEvent } from "../outbox/events.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { TrialPage, Upcoming, VisitConfig } from "./contract.ts";
import type { SaveStatus } from "./saveStatus.ts";
import type { Screen } from "./screen.ts";

const SEAT_GIVEN_AWAY = "visit.abandoned";

interface VisitApiParts {
  config: VisitConfig;
  scope: Scope;
  screen: Screen;
  saveState: SaveStatus;
}

/** Requests of a visit, repeated until they are answered, with a message meanwhile. */
export class VisitApi {
  readonly #parts: VisitApiParts;
  readonly #wakeSignal = new WakeSignal();

  constructor(parts: VisitApiParts) {
    this.#parts = parts;
  }

  /** Try again now: Retry was pressed, or the network came back. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  async upcoming(): Promise<Upcoming> {
    const upcoming = await this.#get<Upcoming>("upcoming/");
    this.#parts.saveState.setSessionLost(false);
    return upcoming;
  }

  /**
   * Every page of the visit with the answers that were given, where they may be changed until they are handed in. Pages
   * that were not begun come without their texts, except the one to be opened.
   */
  async pages(opened = ""): Promise<TrialPage[]> {
    return (await this.#get<{ trials: TrialPage[] }>(opened ? `pages/?open=${opened}` : "pages/")).trials;
  }

  /** Hand everything in, and go to the receipt, or to the questions that come before it. */
  async finish(): Promise<void> {
    const { config, screen, scope } = this.#parts;
    screen.showChecking();
    const ask = () =>
      requestJson<{ receipt_url?: string; questions_url?: string }>(`${config.api}finish/`, {
        json: {},
        csrf: config.csrf,
        signal: scope.signal,
      });
    try {
      const next = await retrying(ask, {
        ...this.retry(scope, gettext("Waiting for the server.")),
        isFinal: isFinalError,
      });
      location.replace(next.questions_url ?? next.receipt_url ?? location.href);
    } catch (error) {
      // Answers are missing after all, for instance because one was refused at the last moment.
      screen.notice(
        error instanceof Problem ? error.message : gettext("Some answers are missing. The page shows them again."),
      );
      location.reload();
    }
  }

  /** How something is tried again, and what is said while it fails. */
  retry(scope: Scope, sentence: string) {
    const onFailure = (error: unknown) => {
      if (error instanceof Problem && error.code === SEAT_GIVEN_AWAY) location.reload(); // the page says what happened
      const lost = error instanceof Problem && error.sessionLost;
      this.#parts.saveState.setSessionLost(lost);
      this.#parts.screen.note(isFinalError(error) ? (error as Problem).message : sentence);
    };
    return { scope, onFailure, wakeSignal: this.#wakeSignal };
  }

  async #get<T>(path: string): Promise<T> {
    const { config, scope, screen } = this.#parts;
    const ask = () => requestJson<T>(`${config.api}${path}`, { signal: scope.signal });
    const answer = await retrying(ask, this.retry(scope, gettext("Waiting for the server.")));
    screen.noteOver();
    return answer;
  }
}

/** Sender of answers and steps to the outbox, each under its own UUID and with the clocks of this device. */
export class VoteSender {
  readonly #outbox: Pick<Outbox, "add">;
  readonly #own = new Set<string>();
  #counter = 0;

  constructor(outbox: Pick<Outbox, "add">) {
    this.#outbox = outbox;
  }

  /** Resolves when it is safe. */
  async send(page: TrialPage, payload: Json, heard: Heard | Listened, draft = false): Promise<void> {
    const event_id = newUuid();
    this.#own.add(event_id);
    this.#counter += 1;
    const clock = {
      wall: new Date().toISOString(),
      monotonic_ms: Math.round(performance.now() * 10) / 10,
      counter: this.#counter,
    };
    const { trial, revision } = page;
    await this.#outbox.add({ event_id, trial, revision, payload, heard, clock, ...(draft ? { draft } : {}) });
  }

  /** Count what an earlier page left waiting as sent from here: this page shows it already. */
  adopt(events: readonly VoteEvent[]): void {
    for (const { event_id } of events) this.#own.add(event_id);
  }

  /** Whether it was sent from this page or waited when it was opened, and did not come from another tab. */
  owns(eventId: string): boolean {
    return this.#own.has(eventId);
  }
}

type ReportKind = "clip" | "device" | "hidden" | "stall" | "error" | "pause";

/** Reports of events that are no answers: a clip that failed, a changed device, a pause. */
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
