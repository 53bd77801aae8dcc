// Outbox of answers: stored on the device first, then sent until the server's answer to each is final.
import { askedPause, isFinalError, Problem, pauseAfter, request, requestJson } from "../lib/http.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import { bodyOf, isFinal, MAX_EVENTS, type Receipt, type Result, takeBatch, type VoteEvent } from "./events.ts";
import { MemoryStore, type Store } from "./store.ts";

/** Why the participant must act: the visit's cookie is gone, this device keeps nothing, the server said no to one answer
 * (refused), or could not even read it (rejected). */
export type ProblemReason = "session" | "storage" | "refused" | "rejected";

/** What the save-state pill shows. */
export type SaveState =
  | { kind: "saved"; at: string | null }
  | { kind: "saving"; waiting: number }
  | { kind: "kept"; waiting: number }
  | { kind: "problem"; reason: ProblemReason; waiting: number };

export type Verdict = Result & { trial: string; draft: boolean };

/** What changed on the server, told to this tab and to every other tab of the visit. */
export interface News {
  verdicts: Verdict[];
  answered: number;
  total: number;
  saved_at: string;
}

interface OutboxOptions {
  visit: string;
  votesUrl: string;
  csrf: string;
  store: Store;
  scope: Scope;
  onState?: (state: SaveState) => void;
  onNews?: (news: News) => void;
  random?: () => number;
}

const SAVING_BECOMES_KEPT_MS = 3000;
const SENDING_TIMEOUT_MS = 30_000; // longer than the server waits for its database, so that its answer is heard
const FETCHES_WORTH_TRYING = 2; // then the page is shown again, and its sound fetched as for the first time
const SOUND_TIMEOUT_MS = 60_000;

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #store: Store;
  readonly #channel: BroadcastChannel;
  readonly #wakeSignal = new WakeSignal();
  readonly #overflow = new MemoryStore(); // used when the device's store is full
  readonly #awaited = new Map<string, () => void>(); // events whose answer the page waits for
  readonly #held = new Set<string>(); // events the server would not even read, tried last and alone
  #mirror: VoteEvent[] = []; // what waits, at hand for pagehide, which cannot await
  readonly #fetches = new Map<string, number>(); // how often the sound of an event was fetched for its sake
  #settled: Promise<unknown> = Promise.resolve(); // when the page has been told of the latest answers
  #notBefore = 0; // on the page's clock: the server asked to be left alone until then
  #failures = 0;
  #batchLimit = MAX_EVENTS;
  #reason: Exclude<ProblemReason, "storage"> | null = null;
  #unkept = false; // something waits in memory only
  readonly #late = new Set<string>(); // events that were waiting for longer than a person expects
  #savedAt: string | null = null;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#channel = new BroadcastChannel(`earmark-outbox ${options.visit}`);
    options.scope.own(() => this.#channel.close());
    options.scope.listen<MessageEvent<News>>(this.#channel, "message", (message) => this.#hear(message.data));
  }

  /** Load what an earlier page left behind and begin to send; resolves when the past is known. */
  async start(): Promise<VoteEvent[]> {
    await this.#refresh();
    void this.#loop();
    return [...this.#mirror];
  }

  /** Resolves when the answer is safe: on this device's disk, or, where nothing is kept, on the server. */
  async add(event: VoteEvent): Promise<void> {
    const kept = await this.#keep(event);
    const acknowledged = kept ? undefined : new Promise<void>((done) => this.#awaited.set(event.event_id, done));
    await this.#refresh();
    this.#expectSoon(event.event_id);
    if (!this.#restMs) this.#wakeSignal.notify();
    await acknowledged;
  }

  /** Try at once, because a person asked or the network came back, unless the server wants to be left alone. */
  wake(): void {
    this.#wakeSignal.notify();
  }

  /** Everything that is not yet on the server, for the escape hatch. */
  get waiting(): readonly VoteEvent[] {
    return this.#mirror;
  }

  /** Resolves when nothing waits any more and the page knows what became of it. */
  async drained(): Promise<void> {
    while (this.#mirror.length && !this.#options.scope.disposed) {
      await new WakeSignal().wait(this.#options.scope, 100);
      await this.#refresh();
    }
    await this.#settled;
  }

  /** A last courtesy when the page goes away. The events stay in the outbox: only an answer removes them. */
  sendOnLeaving(): void {
    const batch = takeBatch(this.#mirror);
    if (!batch.length) return;
    const { votesUrl, csrf } = this.#options;
    requestJson(votesUrl, { json: bodyOf(batch), csrf, keepalive: true }).catch(() => {});
  }

  async #keep(event: VoteEvent): Promise<boolean> {
    try {
      await this.#store.add(event);
      return this.#store.durable;
    } catch {
      await this.#overflow.add(event);
      return false;
    }
  }

  async #loop(): Promise<void> {
    const { scope } = this.#options;
    while (!scope.disposed) {
      if (await this.#underLock(() => this.#sendOnce())) continue;
      const pause = this.#restMs + pauseAfter(Math.max(1, this.#failures), this.#options.random);
      await this.#wakeSignal.wait(scope, this.#mirror.length ? pause : undefined);
    }
  }

  /** How long the server still wants to be left alone. */
  get #restMs(): number {
    return Math.max(this.#notBefore - performance.now(), 0);
  }

  // Web Locks keep two tabs from sending the same events at once. On plain http they do not exist; then the server's
  // unique event id alone does the work, and a duplicate is merely a replay.
  async #underLock<T>(work: () => Promise<T>): Promise<T> {
    const locks = globalThis.navigator?.locks;
    return locks ? locks.request(`earmark-outbox ${this.#options.visit}`, work) : work();
  }

  /** Send one batch; true when something was settled and there may be more to do. */
  async #sendOnce(): Promise<boolean> {
    const { votesUrl, csrf, scope } = this.#options;
    let batch: VoteEvent[] = [];
    try {
      await this.#refresh();
      batch = this.#choose();
      if (!batch.length || this.#restMs > 0) return false;
      const ask = { json: bodyOf(batch), csrf, signal: scope.signal, timeoutMs: SENDING_TIMEOUT_MS };
      const receipt = await requestJson<Receipt>(votesUrl, ask);
      const settling = this.#settle(batch, receipt);
      this.#settled = settling.catch(() => {});
      return await settling;
    } catch (error) {
      return this.#fail(batch, error);
    } finally {
      this.#announce();
    }
  }

  #choose(): VoteEvent[] {
    const fresh = this.#mirror.filter((event) => !this.#held.has(event.event_id));
    if (fresh.length) return takeBatch(fresh, this.#batchLimit);
    const [longestAgo] = this.#held;
    return this.#mirror.filter((event) => event.event_id === longestAgo);
  }

  async #settle(batch: VoteEvent[], receipt: Receipt): Promise<boolean> {
    const sent = new Map(batch.map((event) => [event.event_id, event]));
    const results = receipt.results.filter(({ event_id }) => sent.has(event_id));
    const soundMissing = results.filter(({ status }) => status === "sound_missing");
    const hopeless = await this.#fetchSounds(soundMissing);
    const final = results.filter((result) => isFinal(result) || hopeless.has(result.event_id));
    await this.#forget(final.map((result) => result.event_id));
    this.#failures = final.length || soundMissing.length ? 0 : this.#failures + 1;
    this.#batchLimit = MAX_EVENTS;
    const verdicts = final.map((result) => {
      const { trial = "", draft = false } = sent.get(result.event_id) ?? {};
      const status = result.status === "sound_missing" ? "refused" : result.status;
      return { ...result, status, trial, draft };
    });
    const news = { verdicts, answered: receipt.answered, total: receipt.total, saved_at: receipt.saved_at };
    this.#channel.postMessage(news);
    await this.#hear(news);
    return final.length > 0 || soundMissing.length > 0;
  }

  /** Fetch what answers lack, once for all of them. Returns those for which that has no use any more.
   * Without a network this fails as a whole, and is tried again with the answers. */
  async #fetchSounds(soundMissing: readonly Result[]): Promise<Set<string>> {
    const tries = ({ event_id }: Result) => this.#fetches.get(event_id) ?? 0;
    const hopeless = new Set(soundMissing.filter((result) => tries(result) >= FETCHES_WORTH_TRYING));
    const gone = new Set<string>();
    const wanted = soundMissing.filter((result) => !hopeless.has(result));
    for (const address of new Set(wanted.flatMap((result) => result.fetch ?? []))) {
      try {
        const limits = { signal: this.#options.scope.signal, timeoutMs: SOUND_TIMEOUT_MS };
        await (await request(address, limits)).arrayBuffer();
      } catch (error) {
        if (!isFinalError(error)) throw error;
        gone.add(address);
      }
    }
    for (const result of wanted) {
      this.#fetches.set(result.event_id, tries(result) + 1);
      if (!result.fetch?.length || result.fetch.some((address) => gone.has(address))) hopeless.add(result);
    }
    return new Set([...hopeless].map(({ event_id }) => event_id));
  }

  // A batch that is refused as a whole is tried event by event, so that one unreadable answer holds up no other.
  #fail(batch: VoteEvent[], error: unknown): boolean {
    this.#failures += 1;
    this.#notBefore = performance.now() + askedPause(error);
    if (!(error instanceof Problem) || error.passing) return false;
    if (error.sessionLost) {
      this.#reason = "session";
      return false;
    }
    if (batch.length > 1) {
      this.#batchLimit = 1;
      return true;
    }
    this.#reason = "rejected";
    return !batch.some((event) => this.#holdBack(event.event_id));
  }

  /** Put an event behind all others; true if it was there before, so that trying again at once would be a loop. */
  #holdBack(eventId: string): boolean {
    const again = this.#held.delete(eventId);
    this.#held.add(eventId);
    return again;
  }

  async #forget(eventIds: string[]): Promise<void> {
    for (const eventId of eventIds) {
      this.#held.delete(eventId);
      this.#fetches.delete(eventId);
      this.#late.delete(eventId);
    }
    await this.#overflow.remove(eventIds);
    await this.#store.remove(eventIds);
  }

  async #hear(news: News): Promise<void> {
    const refused = news.verdicts.some((verdict) => verdict.status === "refused");
    this.#reason = refused ? "refused" : this.#held.size ? "rejected" : null;
    this.#savedAt = news.saved_at;
    await this.#refresh();
    for (const verdict of news.verdicts) {
      this.#awaited.get(verdict.event_id)?.();
      this.#awaited.delete(verdict.event_id);
    }
    this.#options.onNews?.(news);
    this.#announce();
  }

  async #refresh(): Promise<void> {
    const overflow = await this.#overflow.waiting();
    this.#unkept = !this.#store.durable || overflow.length > 0;
    this.#mirror = [...(await this.#store.waiting()), ...overflow];
    this.#announce();
  }

  #expectSoon(eventId: string): void {
    this.#options.scope.after(SAVING_BECOMES_KEPT_MS, () => {
      if (!this.#mirror.some(({ event_id }) => event_id === eventId)) return;
      this.#late.add(eventId);
      this.#announce();
    });
  }

  #announce(): void {
    this.#options.onState?.(this.#state());
  }

  #state(): SaveState {
    const waiting = this.#mirror.length;
    const delayed = this.#failures > 0 || this.#mirror.some(({ event_id }) => this.#late.has(event_id));
    if (this.#reason === "refused" || (this.#reason && waiting))
      return { kind: "problem", reason: this.#reason, waiting };
    if (!waiting) return { kind: "saved", at: this.#savedAt };
    if (delayed && this.#unkept) return { kind: "problem", reason: "storage", waiting };
    return delayed ? { kind: "kept", waiting } : { kind: "saving", waiting };
  }
}
