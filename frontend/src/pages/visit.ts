// Participant's page: wires its parts, runs the sound check, and starts the visit.
import { embedded } from "../lib/dom.ts";
import { gettext } from "../lib/i18n.ts";
import { Scope } from "../lib/scope.ts";
import { Outbox } from "../outbox/outbox.ts";
import { openStore } from "../outbox/store.ts";
import { Player } from "../player/player.ts";
import { Setup } from "../setup/setup.ts";
import { Reports } from "../trial/api.ts";
import { Break } from "../trial/break.ts";
import type { VisitConfig } from "../trial/contract.ts";
import { Review, wireKeySheet, wirePause, wireProblem } from "../trial/dialogs.ts";
import { Keys } from "../trial/keys.ts";
import { VisitRun } from "../trial/run.ts";
import { SaveStatus } from "../trial/saveStatus.ts";
import { Screen } from "../trial/screen.ts";

const MOST_ERRORS_TOLD = 5;

function wireLeaving(scope: Scope, outbox: Outbox, durable: boolean): void {
  scope.listen(window, "pagehide", () => outbox.sendOnLeaving());
  // A page restored from the browser's memory would show an old trial.
  scope.listen<PageTransitionEvent>(window, "pageshow", (event) => event.persisted && location.reload());
  scope.listen<BeforeUnloadEvent>(window, "beforeunload", (event) => {
    if (!durable && outbox.waiting.length) event.preventDefault();
  });
}

/** A script that failed at a listener's is told to the experimenter, the first few times. */
function wireErrors(scope: Scope, reports: Reports): void {
  let told = 0;
  const tell = (message: string) => {
    told += 1;
    if (told <= MOST_ERRORS_TOLD) reports.mention("error", { message: message.slice(0, 300) });
  };
  scope.listen<ErrorEvent>(window, "error", ({ message }) => tell(message));
  scope.listen<PromiseRejectionEvent>(window, "unhandledrejection", ({ reason }) => tell(String(reason)));
}

/** A click, which is also what browsers ask for before they let a page sound. */
function clicked(scope: Scope, button: HTMLButtonElement): Promise<void> {
  button.disabled = false;
  return new Promise((resolve) => {
    const release = scope.listen(button, "click", () => {
      button.disabled = true;
      release();
      resolve();
    });
  });
}

async function open(): Promise<void> {
  const config = embedded<VisitConfig>("visit");
  const { api, csrf } = config;
  const scope = new Scope();
  const keys = new Keys(scope);
  const screen = new Screen();
  const store = await openStore(config.seat, scope);
  const player = new Player(scope);
  const reports = new Reports(`${api}reports/`, csrf);
  const setup = new Setup({ url: `${api}setup/`, csrf, scope, player, keys });
  const saveState = new SaveStatus(scope, { retry: () => run.wake(), waiting: () => outbox.waiting });
  const outbox: Outbox = new Outbox({
    visit: config.seat,
    votesUrl: `${api}votes/`,
    csrf,
    store,
    scope,
    onState: (state) => saveState.show(state),
    onNews: (news) => run.hear(news),
  });
  const run: VisitRun = new VisitRun({
    config,
    scope,
    screen,
    saveState,
    outbox,
    player,
    keys,
    reports,
    rest: new Break(scope, keys),
    review: new Review(scope),
    level: async () => {
      await setup.run(await setup.state("level"));
    },
    durable: store.durable,
  });
  keys.onStop(scope, () => player.stop());
  wireKeySheet(scope, keys, screen, config.shortcuts ?? true);
  wirePause(scope, keys, screen, (paused) => {
    if (paused) player.stop();
    reports.mention("pause", { paused });
  });
  wireProblem(scope, keys, screen, {
    opened: () => player.stop(),
    send: (reason) => void run.reportClip(reason),
  });
  wireLeaving(scope, outbox, store.durable);
  wireErrors(scope, reports);
  scope.listen(window, "online", () => run.wake());
  const loaded = run.load();
  const showInstructions = async () => {
    screen.showInstructions(await loaded, config.answered_of);
    return { button: screen.start, why: screen.startWhy };
  };
  const isStarted = await setup.run(await setup.state(), showInstructions);
  if (!isStarted) {
    await showInstructions();
    screen.focusInstructions();
    await clicked(scope, screen.start);
  }
  await player.unlock();
  screen.show("none");
  screen.note(gettext("Loading…"));
  await run.run();
}

void open();
