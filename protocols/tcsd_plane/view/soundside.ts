// Everything of the page that sounds: the full recording, the summaries, and what is fetched of both before it is needed.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { readTexts } from "../../../frontend/src/viewer/texts.ts";
import type { Token } from "./contract.ts";
import { Day } from "./day.ts";
import type { Listening } from "./listening.ts";
import { Pack, PackedSound } from "./pack.ts";
import type { Player } from "./pagekeys.ts";
import { Summaries } from "./summaries.ts";
import type { PlaneTexts } from "./texts.ts";

export interface SoundSideParts {
  scope: Scope;
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  texts: PlaneTexts;
  listening: Listening;
  chosen(token: Token): void;
}

export class SoundSide {
  readonly day: Day;
  readonly summaries: Summaries;
  readonly pack: Pack;
  readonly fullPanel: HTMLElement;
  readonly tokens: Token[];
  active: Player = "full";
  readonly #root: HTMLElement;
  readonly #texts: PlaneTexts;

  constructor({ scope, root, page, host, texts, listening, chosen }: SoundSideParts) {
    this.#root = root;
    this.#texts = texts;
    this.fullPanel = need("[data-part=full-panel]", root);
    const sound = (slot: string) =>
      new PackedSound(page.media[slot]?.url ?? "", () => host.renew().then((media) => media[slot]?.url ?? ""));
    const full = sound("full");
    this.tokens = Object.keys(page.media).filter((slot) => slot !== "full");
    const sounds = new Map(this.tokens.map((token) => [token, sound(token)]));
    const viewerTexts = readTexts();
    this.day = new Day({ root, sound: full, texts, viewerTexts, scope });
    this.summaries = new Summaries({
      scope,
      root,
      sounds,
      texts,
      viewerTexts,
      listening,
      chosen: (token) => {
        this.activate("summary");
        chosen(token);
      },
      sounding: () => this.activate("summary"),
    });
    listening.followFull(scope, this.day.viewer);
    const summariesS = this.tokens.reduce((sum, token) => sum + (page.media[token]?.duration_s ?? 0), 0);
    const changed = (readyS: number, totalS: number) => this.#showReady(readyS, totalS);
    this.pack = new Pack({ scope, full, summaries: sounds, summariesS, changed });
    this.#watch(scope, page);
    this.#keepFocus(scope);
  }

  /** Play a part of the full recording, given in seconds of file time. */
  hear([fromS, toS]: readonly [number, number]): void {
    const { day } = this;
    const [start, stop] = [Math.round(fromS * day.rateHz), Math.round(toS * day.rateHz)];
    day.goTo(start);
    day.viewer.play(start, stop);
  }

  activate(player: Player): void {
    this.active = player;
    this.#root.dataset.player = player;
  }

  stop(): void {
    this.day.viewer.stop();
    this.summaries.viewer?.stop();
  }

  #watch(scope: Scope, { keys }: ShownPage): void {
    const { events } = this.day.viewer;
    keys.onStop(scope, () => this.stop());
    scope.listen(events, "start", () => this.activate("full"));
    const panel = need("[data-part=summary-panel]", this.#root);
    for (const type of ["pointerdown", "focusin"]) {
      scope.listen(this.fullPanel, type, () => this.activate("full"));
      scope.listen(panel, type, () => this.activate("summary"));
    }
    const offline = need("[data-part=offline]", this.#root);
    const show = (away: boolean) => {
      offline.hidden = !away;
    };
    scope.listen(window, "offline", () => show(true));
    scope.listen(window, "online", () => show(false));
    scope.listen(events, "trouble", () => show(true));
    scope.listen(events, "recover", () => show(false));
    show(!navigator.onLine);
    this.activate("full");
  }

  /** A mouse that presses a button leaves the focus with the picture, so that Space still plays and arrows still move. */
  #keepFocus(scope: Scope): void {
    scope.listen<MouseEvent>(this.#root, "mousedown", (event) => {
      const button = (event.target as Element).closest("button:not(dialog *)");
      if (!button || button.matches(".viewer__marker")) return; // a mark that was touched is what arrows move
      event.preventDefault();
      const stages = button.closest(".panel")?.querySelectorAll<HTMLElement>(".viewer__stage") ?? [];
      const stage = [...stages].find((one) => one.offsetParent !== null);
      if (stage) stage.focus({ preventScroll: true });
      else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
  }

  #showReady(readyS: number, totalS: number): void {
    const place = need("[data-part=ready]", this.#root);
    const [ready, total] = [Math.floor(readyS), Math.floor(totalS)];
    const done = total > 0 && ready >= total;
    place.textContent = done ? this.#texts.all_ready : fill(this.#texts.ready, { ready, total });
    place.dataset.state = done ? "done" : "running";
  }
}
