// A visit from the first page to the receipt: asks what comes next, opens one page after another, and finishes.

import { make } from "../lib/dom.ts";
import { newUuid, retrying } from "../lib/http.ts";
import { gettext } from "../lib/i18n.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import type { Heard, Json, Listened } from "../outbox/events.ts";
import type { News, Outbox, Verdict } from "../outbox/outbox.ts";
import type { Player } from "../player/player.ts";
import { type Reports, VisitApi, VoteSender } from "./api.ts";
import type { Break } from "./break.ts";
import type { ProtocolView, SessionSummary, TrialFrame, TrialPage, VisitConfig, VisitProgress } from "./contract.ts";
import type { Review } from "./dialogs.ts";
import type { Keys } from "./keys.ts";
import { answeredOf, turnBefore } from "./place.ts";
import { asOf, Clips, TrialQueue } from "./queue.ts";
import type { SaveStatus } from "./saveStatus.ts";
import type { Screen } from "./screen.ts";
import { Views } from "./views.ts";
import { type Step, Workspace } from "./workspace.ts";

const PAGES_KEPT_AHEAD = 5;
const BLANK_MS = 250; // between two trials, so that one is not taken for the other
const SETTLING_MS = 4000; // how long a break waits for the last answers to arrive before it is shown
const STALL_MS = 250;
const KEPT = { stored: true, replay: true };

interface RunParts {
  config: VisitConfig;
  scope: Scope;
  screen: Screen;
  saveState: SaveStatus;
  outbox: Outbox;
  player: Player;
  keys: Keys;
  rest: Break;
  review: Review;
  reports: Reports;
  /** Let the level be set once more. */
  level: () => Promise<void>;
  durable: boolean;
}

interface Answered {
  page: TrialPage;
  answer: Json;
  heard: Heard;
}

/** The last answer of a seat, kept by the tab: it can be changed after a reload too. */
class LastAnswer {
  readonly #key: string;

  constructor(seat: string) {
    this.#key = `earmark-last-answer ${seat}`;
  }

  keep(answered: Answered | null): void {
    try {
      if (answered) sessionStorage.setItem(this.#key, JSON.stringify(answered));
      else sessionStorage.removeItem(this.#key);
    } catch {
      // No room, or not allowed: it can then be changed only until the page is left.
    }
  }

  /** What was kept, if the page follows it. */
  before(page: TrialPage | undefined): Answered | null {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.#key) ?? "null") as Answered | null;
      const follows = page?.session === kept?.page.session && page?.place.number === (kept?.page.place.number ?? 0) + 1;
      return follows ? kept : null;
    } catch {
      return null;
    }
  }
}

/** Without a keyboard there is no Esc: a button beside Next leaves an earlier answer as it was. */
function offerKeep(scope: Scope, { previous }: Screen, keep: () => void): void {
  const attributes = { type: "button", class: "button trial__keep", "aria-keyshortcuts": "Escape" };
  const button = make("button", attributes, gettext("Keep my answer"));
  scope.listen(button, "click", keep);
  previous.after(button);
  scope.own(() => button.remove());
}

/** A visit from the first page to the receipt: asks what comes next, opens one page after another, and finishes. */
export class VisitRun {
  readonly #parts: RunParts;
  readonly #queue = new TrialQueue();
  readonly #clips: Clips;
  readonly #views = new Views();
  readonly #api: VisitApi;
  readonly #sending: VoteSender;
  readonly #lastAnswer: LastAnswer;
  #sessions: readonly SessionSummary[] = [];
  #unsent: readonly TrialPage[] = []; // answered here, and not yet known to the server when it was last asked
  #answered = 0;
  #receipt = "";
  #refilling: Promise<void> | null = null;
  #current: { trial: string; scope: Scope } | null = null;
  #shown: TrialPage | null = null; // the page before, for what changes between two
  #last: Answered | null = null; // whose answer can still be taken back
  #reopened: Answered | null = null;
  #turnedTo: string | null = null; // a page that was asked for out of its turn
  #changedElsewhere: string | null = null; // the open page, when a step on it was made in another tab or on another device
  #deviceChanged = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#sending = new VoteSender(parts.outbox);
    this.#api = new VisitApi(parts);
    this.#lastAnswer = new LastAnswer(parts.config.seat);
    this.#clips = new Clips(parts.player, () => this.#refill().then(() => this.#queue.pages));
    parts.player.onInterruption((interruption, cutShort) => {
      if (interruption === "device") this.#noticeDevice();
      if (interruption === "hidden" && cutShort) parts.reports.mention("hidden", {}, this.#current?.trial);
    });
  }

  /** Learn what waits from an earlier page and what comes next; clips are made ready meanwhile. */
  async load(): Promise<VisitProgress> {
    const waiting = await this.#parts.outbox.start();
    this.#sending.adopt(waiting);
    for (const event of waiting) if (!event.draft) this.#queue.markAnswered(event.trial);
    await this.#refill();
    this.#last = this.#lastAnswer.before(this.#queue.first);
    const answered = answeredOf(this.#sessions, this.#unsent, this.#parts.config.pages_each);
    const begun = waiting.length > 0 || this.#answered > 0 || this.#queue.pages.some(({ draft }) => draft !== null);
    return { answered, begun };
  }

  async run(): Promise<void> {
    const { screen, scope, durable } = this.#parts;
    if (!durable)
      screen.notice(
        gettext("This browser cannot keep answers on this device, so each one is sent before the next page."),
      );
    while (!scope.disposed) {
      const again = this.#reopened;
      const turnedTo = await this.#pageTurnedTo();
      const page = again?.page ?? turnedTo ?? (await this.#nextPage());
      if (!page) return;
      if (!again && !turnedTo && (await this.#interlude(page))) continue; // what comes next may have changed meanwhile
      this.#reopened = null;
      await this.#runTrial(page, again ?? undefined);
      await new WakeSignal().wait(scope, BLANK_MS);
    }
  }

  /** A page that was asked for out of its turn. */
  async #pageTurnedTo(): Promise<TrialPage | undefined> {
    const trial = this.#turnedTo;
    this.#turnedTo = null;
    return (trial && (await this.#pageOf(trial))) || undefined;
  }

  /** The open page again if it was changed elsewhere, otherwise the first that waits. */
  async #nextPage(): Promise<TrialPage | undefined> {
    const trial = this.#changedElsewhere;
    this.#changedElsewhere = null;
    const changed = trial && (await this.#pageAsItStands(trial));
    return changed || (this.#queue.first ?? (await this.#catchUp()));
  }

  /** Whatever stands between two pages: a changed device, a break, another order of scales. */
  async #interlude(page: TrialPage): Promise<boolean> {
    const { screen, rest, outbox, scope, level, config } = this.#parts;
    if (this.#deviceChanged) {
      this.#deviceChanged = false;
      screen.show("none");
      await level();
      return true;
    }
    const turn = turnBefore(page, this.#shown, this.#sessions);
    this.#shown = page;
    const next = this.#sessions.find(({ session }) => session === page.session);
    if (!turn || !next) return false;
    screen.show("none");
    await Promise.race([outbox.drained().then(() => this.#refill()), new WakeSignal().wait(scope, SETTLING_MS)]);
    const sessions = this.#sessions.filter(({ session }) => session > 0).length;
    const facts = { turn, next, sessions, answered: this.#answered, receipt: this.#receipt };
    const choice = await rest.show({ ...facts, restS: config.rest_s, offersLevel: config.level_check });
    if (choice === "level") await level();
    return true;
  }

  /** Something was wrong with the clip: it comes again at the end of the session, or not at all. */
  async reportClip(reason: string): Promise<void> {
    const { reports, screen, outbox, scope } = this.#parts;
    const current = this.#current;
    if (!current) return;
    const id = newUuid();
    // It counts for the page that is due, which this one is once the server has the answers before it.
    await Promise.race([outbox.drained(), new WakeSignal().wait(scope, SETTLING_MS)]);
    const send = () => reports.send("clip", id, { reason }, current.trial);
    const { skipped, enough } = await retrying(
      send,
      this.#api.retry(current.scope, gettext("Waiting for the server.")),
    );
    this.#queue.postpone(current.trial);
    current.scope.dispose();
    screen.notice(
      skipped
        ? gettext("It failed twice and is left out. This is not your fault.")
        : enough
          ? gettext(
              "Too many clips have failed here, so this one is not left out. Open your link on another device or in another browser, or write to the experimenter. Everything you answered is kept.",
            )
          : gettext("Thank you. You will hear it again at the end."),
    );
    await this.#refill();
  }

  #noticeDevice(): void {
    const { reports, screen, config } = this.#parts;
    reports.mention("device", {}, this.#current?.trial);
    if (!config.level_check || !this.#current) return;
    this.#deviceChanged = true;
    screen.notice(gettext("Your sound device changed. Set the level again, then go on."));
    this.#current.scope.dispose();
  }

  wake(): void {
    this.#parts.outbox.wake();
    this.#api.wake();
  }

  /** What the server said about answers of this tab or of another one. */
  hear(news: News): void {
    this.#answered = news.answered;
    this.#parts.saveState.setSessionLost(false);
    for (const verdict of news.verdicts) {
      if (verdict.draft) this.#judgeStep(verdict);
      else this.#judge(verdict);
    }
    if (this.#queue.pages.length <= PAGES_KEPT_AHEAD) void this.#refill();
  }

  #judge(verdict: Verdict): void {
    const { screen } = this.#parts;
    if (verdict.status === "refused") {
      this.#queue.reopen(verdict.trial);
      screen.notice(verdict.detail ?? gettext("The server did not accept the last answer. Please answer again."));
      return;
    }
    this.#queue.markAnswered(verdict.trial);
    const own = this.#sending.owns(verdict.event_id);
    if (!own && this.#last?.page.trial !== verdict.trial) this.#remember(null); // another is the previous answer now
    if (own && verdict.status === "conflict")
      screen.notice(gettext("This page was already answered in another tab or on another device. That answer stands."));
    if (own || this.#current?.trial !== verdict.trial) return;
    if (this.#turnedTo === verdict.trial) this.#turnedTo = null; // a step there came just before
    screen.notice(gettext("This page was answered in another tab or on another device. Here is the next one."));
    this.#current.scope.dispose();
  }

  /** A step that did not become the newest one: the page is shown again as the server has it. */
  #judgeStep(verdict: Verdict): void {
    const { screen } = this.#parts;
    const own = this.#sending.owns(verdict.event_id);
    if (this.#current?.trial !== verdict.trial || (own && verdict.status in KEPT)) return;
    screen.notice(
      verdict.status === "refused"
        ? (verdict.detail ?? gettext("The server did not accept the last answer. Please answer again."))
        : gettext("This page was changed in another tab or on another device. It is shown again as it stands there."),
    );
    this.#queue.postpone(verdict.trial); // until the next list
    if (this.#parts.config.revisable) this.#turnedTo = verdict.trial;
    else this.#changedElsewhere = verdict.trial;
    this.#current.scope.dispose();
  }

  async #runTrial(page: TrialPage, again?: Answered): Promise<void> {
    const { screen, keys, outbox, saveState } = this.#parts;
    const scope = this.#parts.scope.child();
    this.#current = { trial: page.trial, scope };
    if (!this.#views.get(page.view)) screen.note(gettext("Loading…"));
    const view = await this.#viewOf(page, scope);
    const keep = ({ page: at, payload, heard, draft }: Step) => {
      this.#queue.stepped(at, payload);
      return draft ? this.#sending.send(at, payload, heard, draft) : this.#keep(at, payload, heard);
    };
    const renew = () => this.#refill().then(() => this.#queue.find(page.trial)?.media ?? {});
    const turnTo = (trial: string) => {
      this.#turnedTo = trial;
      scope.dispose();
    };
    const pages = () => outbox.drained().then(() => this.#api.pages());
    const changing = () => saveState.changing();
    const showTrial = () => this.#showTrial(page, scope, again);
    const host = { changing, keep, renew, pages, turnTo, showTrial };
    const now = asOf(page, outbox.waiting);
    this.#sending.adopt(outbox.waiting.filter(({ draft }) => draft));
    const workspace = new Workspace({ page: now, view, screen, keys, sessions: this.#sessions, scope, ...host });
    screen.focusWorkspace();
    await workspace.done;
    this.#current = null;
  }

  #showTrial(page: TrialPage, scope: Scope, again?: Answered): TrialFrame {
    const { screen, player } = this.#parts;
    screen.showTrial(page, this.#sessions);
    if (again) {
      const already = { answer: again.answer, heard: again.heard, keep: () => scope.dispose() };
      offerKeep(scope, screen, already.keep);
      return { screen, player, clips: Promise.resolve(new Map()), already };
    }
    const clips = this.#fetchClips(page, scope);
    const last = this.#last;
    if (last?.page.session !== page.session) return { screen, player, clips };
    const reopen = () => {
      this.#reopened = { ...last, page: { ...last.page, revision: last.page.revision + 1 } };
      scope.dispose();
    };
    return { screen, player, clips, reopen };
  }

  #fetchClips(page: TrialPage, scope: Scope): ReturnType<Clips["of"]> {
    const { onFailure, ...retry } = this.#api.retry(scope, gettext("The sound did not arrive. Trying again."));
    const failed = (error: unknown) => {
      onFailure(error);
      this.#parts.screen.offerProblem(true); // a clip that never arrives must not end the visit
    };
    return retrying(() => this.#clips.of(page), { ...retry, onFailure: failed });
  }

  /** Resolves when the answer is safe; only then does the page go on. */
  async #keep(page: TrialPage, payload: Json, heard: Heard | Listened): Promise<void> {
    this.#remember("stall_ms" in heard ? { page, answer: payload, heard } : null);
    if ("stall_ms" in heard && heard.stall_ms > STALL_MS)
      this.#parts.reports.mention("stall", { stall_ms: heard.stall_ms }, page.trial);
    this.#queue.markAnswered(page.trial); // before the outbox has it: an error may arrive while this still waits
    this.#parts.screen.notice("");
    await this.#sending.send(page, payload, heard);
    this.#prepareAhead();
  }

  #remember(last: Answered | null): void {
    this.#last = last;
    this.#lastAnswer.keep(last);
  }

  #prepareAhead(): void {
    const { pages, first } = this.#queue;
    this.#clips.prepare(pages.filter(({ view }) => this.#views.get(view)?.clipsAhead));
    if (first)
      this.#views
        .get(first.view)
        ?.prepare?.(first, this.#parts.scope.signal)
        .catch(() => {});
  }

  /** Ask what comes next; requests in the meantime share the answer. */
  #refill(): Promise<void> {
    this.#refilling ??= this.#askAhead().finally(() => {
      this.#refilling = null;
    });
    return this.#refilling;
  }

  async #askAhead(): Promise<void> {
    const upcoming = await this.#api.upcoming();
    this.#sessions = upcoming.sessions;
    this.#answered = upcoming.answered;
    this.#receipt = upcoming.receipt;
    this.#parts.saveState.setAnyAnswer(upcoming.answered > 0 || upcoming.trials.some(({ draft }) => draft !== null));
    this.#unsent = this.#queue.merge(upcoming.trials);
    const views = this.#queue.pages.map((page) => this.#views.load(page.view));
    void Promise.allSettled(views).then(() => this.#prepareAhead());
  }

  /** Nothing is ready here: wait until the server knows all answers, then ask what is left; nothing means the end. */
  async #catchUp(): Promise<TrialPage | undefined> {
    const { outbox, screen } = this.#parts;
    screen.note(gettext("Waiting for the server."));
    await outbox.drained();
    await this.#refilling; // that answer may be older than the last vote
    await this.#refill();
    return this.#queue.first ?? (await this.#finish());
  }

  /** Where answers may be changed until they are handed in, the review comes before the end. */
  async #finish(): Promise<TrialPage | undefined> {
    const { config, screen, review, scope } = this.#parts;
    if (config.revisable) {
      screen.show("none");
      const pages = await this.#api.pages();
      const [first] = pages;
      const view = first && (await this.#viewOf(first, scope)); // not loaded yet where the visit goes on with the review
      const after = await review.show(pages, view?.pageName);
      if (after !== "submit") return this.#pageOf(after.open);
    }
    await this.#api.finish();
    return undefined;
  }

  #viewOf(page: TrialPage, scope: Scope): Promise<ProtocolView> {
    return retrying(() => this.#views.load(page.view), this.#api.retry(scope, gettext("Waiting for the server.")));
  }

  /** The page as the server has it now; nothing where it was answered meanwhile. */
  async #pageAsItStands(trial: string): Promise<TrialPage | undefined> {
    const { outbox, screen } = this.#parts;
    screen.note(gettext("Waiting for the server."));
    await outbox.drained();
    await this.#refilling; // that answer may be older than the step
    await this.#refill();
    return this.#queue.find(trial);
  }

  async #pageOf(trial: string): Promise<TrialPage | undefined> {
    const { outbox, screen } = this.#parts;
    screen.note(gettext("Waiting for the server."));
    await outbox.drained(); // or the server would not know the newest answer to it
    this.#queue.reopen(trial);
    return (await this.#api.pages(trial)).find((page) => page.trial === trial);
  }
}
