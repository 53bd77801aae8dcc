// Preview of a trial in a frame: the view of a protocol on pages with made-up sounds, again and again. Nothing is sent.
import { embedded } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { Player } from "../player/player.ts";
import type { SessionSummary, TrialFrame, TrialPage } from "../trial/contract.ts";
import { wireKeySheet } from "../trial/dialogs.ts";
import { Keys } from "../trial/keys.ts";
import { Clips } from "../trial/queue.ts";
import { Screen } from "../trial/screen.ts";
import { Views } from "../trial/views.ts";
import { Workspace } from "../trial/workspace.ts";

/** A screen that leaves the focus in the form beside it, unless a person is at work in the frame. */
class FramedScreen extends Screen {
  override focus(place: Parameters<Screen["focus"]>[0]): void {
    if (document.hasFocus()) super.focus(place);
  }
}

async function open(): Promise<void> {
  const pages = embedded<TrialPage[]>("pages");
  const scope = new Scope();
  const keys = new Keys(scope);
  const screen = new FramedScreen();
  const player = new Player(scope);
  const clips = new Clips(player, async () => pages);
  const total = pages.length;
  const sessions: SessionSummary[] = [{ session: 1, total, answered: 0, seconds_left: 0, rest_before: false }];
  wireKeySheet(scope, keys, screen, true);
  keys.onStop(scope, () => player.stop());
  scope.listen(document, "pointerdown", () => void player.unlock());
  const view = await new Views().load(pages[0]?.view ?? "");
  for (let turn = 0; !scope.disposed; turn += 1) {
    const page = pages[turn % total] as TrialPage;
    const own = scope.child();
    const showTrial = (): TrialFrame => {
      screen.showTrial(page, sessions);
      return { screen, player, clips: clips.of(page) };
    };
    const host = {
      changing: () => () => {},
      keep: async () => {},
      renew: async () => page.media,
      pages: async () => pages,
      turnTo: () => own.dispose(),
      showTrial,
    };
    await new Workspace({ page, view, screen, keys, sessions, scope: own, ...host }).done;
  }
}

void open();
