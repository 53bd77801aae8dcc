// Audio panel of the page: the full recording, the summaries, and their play buttons.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import type { Look } from "../../../frontend/src/viewer/state.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { mountViewer, type Viewer } from "../../../frontend/src/viewer/viewer.ts";
import type { Passage, PlanePage, Token } from "./contract.ts";
import { numberOf } from "./crosses.ts";
import { Day } from "./day.ts";
import type { Listening } from "./listening.ts";
import { borders, PassageFinder } from "./passages.ts";
import { Prefetch, PrefetchedSound } from "./prefetch.ts";
import type { Player } from "./rating.ts";

/** Play or pause one viewer. */
function toggle(viewer: Viewer): void {
  if (viewer.playing) viewer.stop();
  else viewer.play();
}

/** `viewer` may change from one press to the next; `show` says what the button looks like now. */
export function wirePlayButton(scope: Scope, button: HTMLElement, viewer: () => Viewer | null): () => void {
  const faces = {
    idle: () => [icon("play"), make("span", {}, gettext("Play"))],
    waiting: () => [make("span", {}, gettext("Loading…"))],
    sounding: () => [icon("pause"), make("span", {}, gettext("Pause"))],
  };
  const show = () => {
    const current = viewer();
    const state = !current?.playing ? "idle" : current.waiting ? "waiting" : "sounding";
    if (button.dataset.state === state) return;
    button.dataset.state = state;
    button.setAttribute("aria-busy", String(state === "waiting"));
    button.replaceChildren(...faces[state]());
  };
  scope.listen(button, "click", () => {
    const current = viewer();
    if (current) toggle(current);
    show();
  });
  show();
  return show;
}

/** Follow what is asked for, starts and stops in a viewer. */
export function onPlaying(scope: Scope, viewer: Viewer, listener: () => void): void {
  for (const type of ["playing", "start", "stall", "resume", "stop"]) scope.listen(viewer.events, type, listener);
}

interface SummariesParts {
  scope: Scope;
  root: ParentNode;
  sounds: ReadonlyMap<Token, PrefetchedSound>;
  listening: Listening;
  passages: Readonly<Record<Token, readonly Passage[]>>;
  /** The cursor is somewhere else, or another one is shown. */
  moved(): void;
  /** Another one was chosen here. */
  chosen(token: Token): void;
  /** One began to sound. */
  sounding(): void;
}

interface Shown {
  viewer: Viewer;
  host: HTMLElement;
}

/** The summaries: one is chosen and shown at a time, each keeps its place, and none runs on into the next. */
export class Summaries {
  readonly #parts: SummariesParts;
  readonly #buttons: Map<Token, HTMLButtonElement>;
  readonly #place: HTMLElement;
  readonly #time: HTMLElement;
  readonly #plays: HTMLElement;
  readonly #loop: HTMLElement;
  /** Everything that shows the summaries. */
  readonly panel: HTMLElement;
  readonly #showPlaying: () => void;
  readonly #shown = new Map<Token, Shown>();
  #token: Token;
  #look: Partial<Look> = {};
  #looping = false;

  constructor(parts: SummariesParts) {
    this.#parts = parts;
    const { root, scope, sounds } = parts;
    this.panel = need("[data-part=summary-panel]", root);
    this.#place = need("[data-part=summary]", root);
    this.#time = need("[data-part=summary-time]", root);
    this.#plays = need("[data-part=summary-plays]", root);
    this.#loop = need("[data-part=summary-loop]", root);
    scope.listen(this.#loop, "click", () => this.toggleLoop());
    this.#buttons = new Map([...sounds.keys()].map((token) => [token, this.#button(token)]));
    need("[data-part=tokens]", root).replaceChildren(...[...this.#buttons.values()].map((one) => make("li", {}, one)));
    this.#token = [...sounds.keys()][0] ?? "";
    this.#showPlaying = wirePlayButton(scope, need("[data-part=summary-play]", root), () => this.viewer);
    this.select(this.#token);
  }

  get token(): Token {
    return this.#token;
  }

  get tokens(): Token[] {
    return [...this.#buttons.keys()];
  }

  get viewer(): Viewer | null {
    return this.#shown.get(this.#token)?.viewer ?? null;
  }

  select(token: Token): void {
    if (!this.#buttons.has(token)) return;
    if (token !== this.#token) this.viewer?.stop();
    this.#token = token;
    if (!this.#shown.has(token)) this.#shown.set(token, this.#mount(token));
    for (const [other, { host }] of this.#shown) host.hidden = other !== token;
    this.draw();
  }

  /** Choose and play from where it was left, or pause where it already sounds. */
  play(token: Token): void {
    this.select(token);
    this.toggle();
  }

  toggle(): void {
    if (this.viewer) toggle(this.viewer);
    this.draw();
  }

  /** Play the selected part, or the whole summary, again and again. */
  toggleLoop(): void {
    this.#looping = !this.#looping;
    for (const { viewer } of this.#shown.values()) viewer.setLoop(this.#looping);
    this.draw();
  }

  /** The picture of every summary looks like that of the day. */
  setLook(look: Partial<Look>): void {
    this.#look = look;
    for (const { viewer } of this.#shown.values()) viewer.setLook(look);
  }

  moveBy(seconds: number): void {
    const { viewer } = this;
    const { sample_rate_hz = 1 } = viewer?.manifest ?? {};
    viewer?.goTo(viewer.position + Math.round(seconds * sample_rate_hz));
  }

  /** Move the end of the selected part, which begins at the cursor where nothing is selected. */
  extend(seconds: number): void {
    const { viewer } = this;
    if (!viewer?.manifest) return;
    const { sample_rate_hz, length_samples } = viewer.manifest;
    const { start, stop } = viewer.selection ?? { start: viewer.position, stop: viewer.position };
    const end = Math.min(stop + Math.round(seconds * sample_rate_hz), length_samples);
    viewer.select(end > start ? { start, stop: end } : null);
  }

  step(by: number): void {
    const { tokens } = this;
    const token = tokens[(tokens.indexOf(this.#token) + by + tokens.length) % tokens.length];
    if (token === undefined) return;
    this.select(token);
    this.#parts.chosen(token);
  }

  draw(): void {
    const { listening } = this.#parts;
    for (const [token, button] of this.#buttons) {
      const chosen = token === this.#token;
      const playing = chosen && (this.viewer?.playing ?? false) && !this.viewer?.waiting;
      const n = numberOf(token);
      const plays = listening.plays(token);
      button.setAttribute("aria-pressed", String(chosen));
      button.dataset.heard = plays ? "yes" : "no";
      button.dataset.sounding = String(playing);
      button.setAttribute(
        "aria-label",
        fill(
          plays
            ? ngettext("Summary {n}, played {plays} time", "Summary {n}, played {plays} times", plays)
            : gettext("Summary {n}, not heard yet"),
          { n, plays },
        ),
      );
    }
    this.#plays.textContent = fill(gettext("played {n}×"), { n: listening.plays(this.#token) });
    this.#loop.setAttribute("aria-pressed", String(this.#looping));
    this.#showPlaying();
    this.#tellTime();
  }

  #button(token: Token): HTMLButtonElement {
    const button = make("button", { type: "button", class: "token" }, numberOf(token));
    this.#parts.scope.listen(button, "click", () => {
      this.#parts.chosen(token);
      this.play(token);
    });
    return button;
  }

  #mount(token: Token): Shown {
    const { scope, sounds, listening } = this.#parts;
    const host = make("div", { class: "summary__host" });
    this.#place.append(host);
    const parts = { bar: false, minimap: false, fields: false };
    const remote = sounds.get(token) as PrefetchedSound;
    const viewer = mountViewer(host, { base: "", remote, scope, keysOn: null, look: this.#look, ...parts });
    viewer.setLoop(this.#looping);
    listening.followSummary(scope, viewer, token);
    onPlaying(scope, viewer, () => this.draw());
    scope.listen(viewer.events, "start", () => this.#parts.sounding());
    scope.listen(viewer.events, "position", () => this.#tellTime());
    scope.listen(viewer.events, "ready", () => {
      const own = this.#parts.passages[token];
      if (own) viewer.setMarkers(borders(own, viewer.manifest?.sample_rate_hz ?? 1));
      this.#tellTime();
    });
    return { viewer, host };
  }

  #tellTime(): void {
    const { viewer } = this;
    const rateHz = viewer?.manifest?.sample_rate_hz ?? 1;
    const [at, length] = [viewer?.position ?? 0, viewer?.manifest?.length_samples ?? 0];
    const text = `${formatTime(at / rateHz)} / ${formatTime(length / rateHz)}`;
    if (this.#time.textContent !== text) this.#time.textContent = text;
    this.#parts.moved();
  }
}

// A page that has just been opened draws first; what is clicked meanwhile is fetched at once.
const PICTURES_FIRST_MS = 500;

interface AudioPanelParts {
  scope: Scope;
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  listening: Listening;
  /** The hour that is shown first. */
  hour?: number | undefined;
  chosen(token: Token): void;
}

/** Audio panel: the full recording, the summaries, and the prefetch of both. */
export class AudioPanel {
  readonly day: Day;
  readonly summaries: Summaries;
  readonly prefetch: Prefetch;
  /** Null where no summary of the page has a cue sheet. */
  readonly passages: PassageFinder | null = null;
  readonly fullPanel: HTMLElement;
  readonly tokens: Token[];
  active: Player = "full";
  readonly #root: HTMLElement;
  #ready: [number, number] = [0, 0];
  #offline = false;

  constructor({ scope, root, page, host, listening, hour, chosen }: AudioPanelParts) {
    this.#root = root;
    this.fullPanel = need("[data-part=full-panel]", root);
    const sound = (slot: string) =>
      new PrefetchedSound(page.media[slot]?.url ?? "", () => host.renew().then((media) => media[slot]?.url ?? ""));
    const full = sound("full");
    this.tokens = Object.keys(page.media).filter((slot) => slot !== "full");
    const sounds = new Map(this.tokens.map((token) => [token, sound(token)]));
    this.day = new Day({ root, sound: full, scope, firstHour: hour ?? 0 });
    const { passages } = page.page as unknown as PlanePage;
    this.summaries = new Summaries({
      scope,
      root,
      sounds,
      listening,
      passages: passages ?? {},
      moved: () => this.passages?.draw(),
      chosen: (token) => {
        this.activate("summary");
        this.prefetch.prefer(token);
        chosen(token);
      },
      sounding: () => this.activate("summary"),
    });
    const { day, summaries } = this;
    if (passages) this.passages = new PassageFinder({ scope, root, day, summaries, passages });
    listening.followFull(scope, this.day.viewer);
    const changed = (...ready: [number, number]) => {
      this.#ready = ready;
      this.#showReady();
    };
    this.prefetch = new Prefetch({ scope, full, summaries: sounds, changed });
    scope.after(PICTURES_FIRST_MS, () => this.prefetch.begin());
    const { viewer } = this.day;
    scope.listen(viewer.events, "look", () => this.summaries.setLook(viewer.look ?? {}));
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

  /** Put the keyboard on the picture of the sound that Space plays. */
  focus(): void {
    const panel = this.active === "full" ? this.fullPanel : this.summaries.panel;
    const stages = [...panel.querySelectorAll<HTMLElement>(".viewer__stage")];
    stages.find((stage) => stage.offsetParent !== null)?.focus({ preventScroll: true });
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
    const { panel } = this.summaries;
    for (const type of ["pointerdown", "focusin"]) {
      scope.listen(this.fullPanel, type, () => this.activate("full"));
      scope.listen(panel, type, () => this.activate("summary"));
    }
    const notice = need("[data-part=offline]", this.#root);
    const show = (offline: boolean) => {
      notice.hidden = !offline;
      this.#offline = offline;
      this.#showReady();
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

  /** Says nothing without a connection: the notice of that says what plays. */
  #showReady(): void {
    const place = need("[data-part=ready]", this.#root);
    const [ready, total] = this.#ready;
    const done = total > 0 && ready >= total && this.day.hours.length > 0;
    const percent = total > 0 ? Math.min(Math.floor((100 * ready) / total), 99) : 0;
    if (this.#offline) place.textContent = "";
    else
      place.textContent = done ? gettext("All sound ready") : fill(gettext("Loading sound {percent} %"), { percent });
    place.dataset.state = done ? "done" : "running";
    place.setAttribute("aria-busy", String(!done)); // only the end is said aloud
  }
}
