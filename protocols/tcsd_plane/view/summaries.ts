// The summaries: one is chosen and shown at a time, each keeps its place, and none runs on into the next.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ViewerTexts } from "../../../frontend/src/viewer/texts.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { mountViewer, type Viewer } from "../../../frontend/src/viewer/viewer.ts";
import type { Token } from "./contract.ts";
import { numberOf } from "./crosses.ts";
import type { Listening } from "./listening.ts";
import type { PackedSound } from "./pack.ts";
import { onPlaying, toggle, wirePlayButton } from "./playbutton.ts";
import type { PlaneTexts } from "./texts.ts";

export interface SummariesParts {
  scope: Scope;
  root: ParentNode;
  sounds: ReadonlyMap<Token, PackedSound>;
  texts: PlaneTexts;
  viewerTexts: ViewerTexts;
  listening: Listening;
  /** Another one was chosen here. */
  chosen(token: Token): void;
  /** One began to sound. */
  sounding(): void;
}

interface Shown {
  viewer: Viewer;
  host: HTMLElement;
}

export class Summaries {
  readonly #parts: SummariesParts;
  readonly #buttons: Map<Token, HTMLButtonElement>;
  readonly #place: HTMLElement;
  readonly #time: HTMLElement;
  readonly #plays: HTMLElement;
  readonly #showPlaying: () => void;
  readonly #shown = new Map<Token, Shown>();
  #token: Token;

  constructor(parts: SummariesParts) {
    this.#parts = parts;
    const { root, scope, sounds, texts } = parts;
    this.#place = need("[data-part=summary]", root);
    this.#time = need("[data-part=summary-time]", root);
    this.#plays = need("[data-part=summary-plays]", root);
    this.#buttons = new Map([...sounds.keys()].map((token) => [token, this.#button(token)]));
    need("[data-part=tokens]", root).replaceChildren(...[...this.#buttons.values()].map((one) => make("li", {}, one)));
    this.#token = [...sounds.keys()][0] ?? "";
    this.#showPlaying = wirePlayButton(scope, need("[data-part=summary-play]", root), texts, () => this.viewer);
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

  step(by: number): void {
    const { tokens } = this;
    const token = tokens[(tokens.indexOf(this.#token) + by + tokens.length) % tokens.length];
    if (token === undefined) return;
    this.select(token);
    this.#parts.chosen(token);
  }

  draw(): void {
    const { listening, texts } = this.#parts;
    for (const [token, button] of this.#buttons) {
      const chosen = token === this.#token;
      const playing = chosen && (this.viewer?.playing ?? false);
      const n = numberOf(token);
      const plays = listening.plays(token);
      button.setAttribute("aria-pressed", String(chosen));
      button.dataset.heard = plays ? "yes" : "no";
      button.dataset.sounding = String(playing);
      button.setAttribute("aria-label", fill(plays ? texts.summary_heard : texts.summary_unheard, { n, plays }));
    }
    this.#plays.textContent = fill(texts.plays, { n: listening.plays(this.#token) });
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
    const { scope, sounds, viewerTexts, listening } = this.#parts;
    const host = make("div", { class: "summary__host" });
    this.#place.append(host);
    const parts = { bar: false, minimap: false, fields: false };
    const remote = sounds.get(token) as PackedSound;
    const viewer = mountViewer(host, { base: "", remote, texts: viewerTexts, scope, keysOn: null, ...parts });
    listening.followSummary(scope, viewer, token);
    onPlaying(scope, viewer, () => this.draw());
    scope.listen(viewer.events, "start", () => this.#parts.sounding());
    scope.listen(viewer.events, "position", () => this.#tellTime());
    scope.listen(viewer.events, "ready", () => this.#tellTime());
    return { viewer, host };
  }

  #tellTime(): void {
    const { viewer } = this;
    const rateHz = viewer?.manifest?.sample_rate_hz ?? 1;
    const [at, length] = [viewer?.position ?? 0, viewer?.manifest?.length_samples ?? 0];
    const text = `${formatTime(at / rateHz)} / ${formatTime(length / rateHz)}`;
    if (this.#time.textContent !== text) this.#time.textContent = text;
  }
}
