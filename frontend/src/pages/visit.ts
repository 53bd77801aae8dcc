// The participant's live page: puts the parts together and starts.
import { embedded, need } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { Outbox } from "../outbox/outbox.ts";
import { openStore } from "../outbox/store.ts";
import { Player } from "../player/player.ts";
import { Keys } from "../trial/keys.ts";
import { type VisitConfig, VisitRun } from "../trial/run.ts";
import { SaveStateView } from "../trial/savestate.ts";
import { Screen } from "../trial/screen.ts";
import type { Texts } from "../trial/texts.ts";

const SHORTCUTS_KEY = "earmark-shortcuts";

function wireKeySheet(scope: Scope, keys: Keys, allowed: boolean): void {
  const sheet = need<HTMLDialogElement>("#key-sheet");
  const choice = need<HTMLInputElement>("#shortcuts");
  let wanted = true;
  try {
    wanted = localStorage.getItem(SHORTCUTS_KEY) !== "off";
  } catch {
    // Not remembered on this device; the keys work.
  }
  choice.checked = keys.enabled = allowed && wanted;
  choice.disabled = !allowed;
  scope.listen(choice, "change", () => {
    keys.enabled = choice.checked;
    try {
      localStorage.setItem(SHORTCUTS_KEY, choice.checked ? "on" : "off");
    } catch {
      // Holds for this page.
    }
  });
  const open = () => {
    sheet.showModal();
    return true;
  };
  scope.listen(need("#keys"), "click", open);
  keys.on(scope, (event) => event.key === "?" && open());
}

function wireLeaving(scope: Scope, outbox: Outbox, durable: boolean): void {
  scope.listen(window, "pagehide", () => outbox.sendParting());
  // A page restored from the browser's memory would show an old trial.
  scope.listen<PageTransitionEvent>(window, "pageshow", (event) => event.persisted && location.reload());
  scope.listen<BeforeUnloadEvent>(window, "beforeunload", (event) => {
    if (!durable && outbox.waiting.length) event.preventDefault();
  });
}

async function open(): Promise<void> {
  const config = embedded<VisitConfig>("visit");
  const texts = embedded<Texts>("texts");
  const scope = new Scope();
  const keys = new Keys(scope);
  const screen = new Screen(texts);
  const store = await openStore(config.seat, scope);
  const player = new Player(scope);
  const saveState = new SaveStateView(scope, texts, { retry: () => run.wake(), waiting: () => outbox.waiting });
  const outbox: Outbox = new Outbox({
    visit: config.seat,
    votesUrl: `${config.api}votes/`,
    csrf: config.csrf,
    store,
    scope,
    onState: (state) => saveState.show(state),
    onNews: (news) => run.hear(news),
  });
  const run: VisitRun = new VisitRun({
    config,
    texts,
    scope,
    screen,
    saveState,
    outbox,
    player,
    keys,
    durable: store.durable,
  });
  keys.onStop(scope, () => player.stop());
  wireKeySheet(scope, keys, config.shortcuts ?? true);
  wireLeaving(scope, outbox, store.durable);
  scope.listen(window, "online", () => run.wake());
  const loaded = run.load();
  scope.listen(screen.start, "click", async () => {
    screen.start.disabled = true;
    await player.unlock();
    screen.begin();
    await loaded;
    await run.run();
  });
  screen.start.disabled = false;
}

void open();
