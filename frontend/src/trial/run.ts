// A visit from the first page to the receipt: what comes next, one trial after another, and the last word.

import { Problem, requestJson } from "../lib/http.ts";
import { Alarm, type Scope } from "../lib/scope.ts";
import { newUuid } from "../lib/uuid.ts";
import type { Heard, Json } from "../outbox/events.ts";
import type { News, Outbox, Verdict } from "../outbox/outbox.ts";
import type { Player } from "../player/player.ts";
import { Clips } from "./clips.ts";
import type { TrialPage, Upcoming } from "./contract.ts";
import type { Keys } from "./keys.ts";
import { TrialQueue } from "./queue.ts";
import { isRefusal, retrying } from "./retry.ts";
import type { SaveStateView } from "./savestate.ts";
import type { Screen } from "./screen.ts";
import type { Texts } from "./texts.ts";
import { Trial } from "./trial.ts";
import { Views } from "./views.ts";

const PAGES_KEPT_AHEAD = 5;
const BLANK_MS = 250; // between two trials, so that one is not taken for the other

export interface VisitConfig {
  api: string;
  csrf: string;
  seat: string;
  total: number;
  shortcuts?: boolean;
}

export interface RunParts {
  config: VisitConfig;
  texts: Texts;
  scope: Scope;
  screen: Screen;
  saveState: SaveStateView;
  outbox: Outbox;
  player: Player;
  keys: Keys;
  durable: boolean;
}

export class VisitRun {
  readonly #parts: RunParts;
  readonly #queue = new TrialQueue();
  readonly #clips: Clips;
  readonly #views = new Views();
  readonly #alarm = new Alarm();
  readonly #ownEvents = new Set<string>();
  #total: number;
  #counter = 0;
  #refilling: Promise<void> | null = null;
  #current: { trial: string; scope: Scope } | null = null;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#clips = new Clips(parts.player, () => this.#refill().then(() => this.#queue.pages));
    this.#total = parts.config.total;
  }

  /** Learn what waits from an earlier page and what comes next; clips are made ready meanwhile. */
  async load(): Promise<void> {
    for (const event of await this.#parts.outbox.start()) this.#queue.markAnswered(event.trial);
    await this.#refill();
  }

  async run(): Promise<void> {
    const { screen, scope, texts, durable } = this.#parts;
    if (!durable) screen.notice(texts.blocking);
    while (!scope.disposed) {
      const page = this.#queue.first ?? (await this.#catchUp());
      if (!page) return;
      await this.#runTrial(page);
      await new Alarm().wait(scope, BLANK_MS);
    }
  }

  /** Try again now: somebody asked, or the network came back. */
  wake(): void {
    this.#parts.outbox.wake();
    this.#alarm.ring();
  }

  /** What the server said about answers of this tab or of another one. */
  hear(news: News): void {
    this.#total = news.total;
    this.#parts.saveState.setSessionLost(false);
    for (const verdict of news.verdicts) this.#judge(verdict);
    if (this.#queue.pages.length <= PAGES_KEPT_AHEAD) void this.#refill();
  }

  #judge(verdict: Verdict): void {
    const { screen, texts } = this.#parts;
    if (verdict.status === "refused") {
      this.#queue.reopen(verdict.trial);
      screen.notice(verdict.detail ?? texts.refused);
      return;
    }
    this.#queue.markAnswered(verdict.trial);
    const own = this.#ownEvents.has(verdict.event_id);
    if (own && verdict.status === "conflict") screen.notice(texts.conflict);
    if (own || this.#current?.trial !== verdict.trial) return;
    screen.notice(texts.moved_on);
    this.#current.scope.dispose();
  }

  async #runTrial(page: TrialPage): Promise<void> {
    const { screen, scope, texts, player, keys } = this.#parts;
    const trialScope = scope.child();
    this.#current = { trial: page.trial, scope: trialScope };
    const view = await retrying(() => this.#views.load(page.view), this.#retry(trialScope, texts.waiting_for_network));
    screen.showTrial(page, this.#total);
    const clips = retrying(() => this.#clips.of(page), this.#retry(trialScope, texts.loading_again));
    const keep = (payload: Json, heard: Heard) => this.#keep(page, payload, heard);
    await new Trial({ page, view, clips, player, screen, keys, texts, scope: trialScope, keep }).done;
    this.#current = null;
  }

  /** Resolves when the answer is safe; only then does the page go on. */
  async #keep(page: TrialPage, payload: Json, heard: Heard): Promise<void> {
    const event_id = newUuid();
    this.#counter += 1;
    const clock = {
      wall: new Date().toISOString(),
      monotonic_ms: Math.round(performance.now() * 10) / 10,
      counter: this.#counter,
    };
    this.#ownEvents.add(event_id);
    this.#parts.screen.notice("");
    this.#queue.markAnswered(page.trial); // before the outbox has it: a refusal may arrive while this still waits
    await this.#parts.outbox.add({ event_id, trial: page.trial, revision: page.revision, payload, heard, clock });
    this.#clips.prepare(this.#queue.pages);
  }

  /** Ask what comes next; whoever asks meanwhile shares the answer. */
  #refill(): Promise<void> {
    this.#refilling ??= this.#askAhead().finally(() => {
      this.#refilling = null;
    });
    return this.#refilling;
  }

  async #askAhead(): Promise<void> {
    const { config, scope, texts } = this.#parts;
    const ask = () => requestJson<Upcoming>(`${config.api}upcoming/`, { signal: scope.signal });
    const upcoming = await retrying(ask, this.#retry(scope, texts.waiting_for_network));
    this.#parts.saveState.setSessionLost(false);
    this.#total = upcoming.total;
    this.#queue.merge(upcoming.trials);
    for (const page of this.#queue.pages) this.#views.load(page.view).catch(() => {});
    this.#clips.prepare(this.#queue.pages);
  }

  /** Nothing is ready here: wait until the server knows all answers, then ask what is left; nothing means the end. */
  async #catchUp(): Promise<TrialPage | undefined> {
    const { outbox, screen, texts } = this.#parts;
    screen.note(texts.waiting_for_network);
    await outbox.drained();
    await this.#refilling; // that answer may be older than the last vote
    await this.#refill();
    return this.#queue.first ?? (await this.#finish());
  }

  async #finish(): Promise<TrialPage | undefined> {
    const { config, screen, scope, texts } = this.#parts;
    screen.showChecking();
    const ask = () =>
      requestJson<{ receipt_url: string }>(`${config.api}finish/`, {
        json: {},
        csrf: config.csrf,
        signal: scope.signal,
      });
    try {
      const receipt = await retrying(ask, { ...this.#retry(scope, texts.waiting_for_network), isFinal: isRefusal });
      location.replace(receipt.receipt_url);
    } catch (error) {
      // Answers are missing after all, for instance because one was refused at the last moment.
      screen.notice(error instanceof Problem ? error.message : texts.refused_page);
      location.reload();
    }
    return undefined;
  }

  #retry(scope: Scope, sentence: string) {
    const onFailure = (error: unknown) => {
      const lost = error instanceof Problem && error.sessionLost;
      this.#parts.saveState.setSessionLost(lost);
      this.#parts.screen.note(isRefusal(error) ? (error as Problem).message : sentence);
    };
    return { scope, onFailure, alarm: this.#alarm };
  }
}
