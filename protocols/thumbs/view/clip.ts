// Clip of a page: play button, small picture, number of plays, and the question whether it was synthesised.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Listened } from "../../../frontend/src/outbox/events.ts";
import type { PlayerNews } from "../../../frontend/src/player/slicePlayer.ts";
import type { ShownPage } from "../../../frontend/src/trial/contract.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { mountViewer, type Viewer } from "../../../frontend/src/viewer/viewer.ts";
import { wordsOf } from "./caption.ts";
import { pageOf } from "./contract.ts";
import type { PageAnswers } from "./scores.ts";

/** The one question about the clip itself: whether it was synthesised. Yes and no are answers; nothing is preset. */
export class Synthesised {
  readonly #place: HTMLElement;
  readonly #answers: PageAnswers;

  constructor(scope: Scope, root: ParentNode, page: ShownPage, answers: PageAnswers, changed: () => void) {
    this.#answers = answers;
    this.#place = need("[data-part=synthesised]", root);
    this.#place.hidden = !pageOf(page).synthesised;
    const words = wordsOf(page, "SYNTHESISED");
    const question = need("[data-part=synthesised-question]", this.#place);
    question.lang = words.language;
    question.textContent = words.question;
    for (const radio of this.#radios)
      scope.listen(radio, "change", () => {
        answers.synthesised = radio.value === "yes";
        this.#show();
        changed();
      });
    this.#show();
  }

  /** Mark it as unanswered after Next was pressed, until it is answered. */
  flag(): void {
    if (this.#place.hidden || this.#answers.synthesised !== null) return;
    this.#place.setAttribute("aria-invalid", "true");
  }

  focus(): void {
    const radio = this.#radios.find(({ checked }) => checked) ?? this.#radios[0];
    if (!this.#place.hidden) radio?.focus();
  }

  get #radios(): HTMLInputElement[] {
    return [...this.#place.querySelectorAll<HTMLInputElement>("input")];
  }

  #show(): void {
    const { synthesised } = this.#answers;
    this.#place.classList.toggle("is-empty", synthesised === null);
    if (synthesised !== null) this.#place.removeAttribute("aria-invalid");
    need("[data-part=synthesised-unset]", this.#place).hidden = synthesised !== null;
    for (const radio of this.#radios) radio.checked = synthesised !== null && (radio.value === "yes") === synthesised;
  }
}

const NEWS = ["ready", "position", "start", "stall", "resume", "stop"];

interface ClipParts {
  scope: Scope;
  root: ParentNode;
  url: string;
  renew: () => Promise<string>;
  /** Earlier plays of the same clip. */
  plays: number;
  /** It was played once more, or heard for longer. */
  changed: () => void;
}

/** The clip: a play button, a small picture to seek in, and how often it was played. */
export class Clip {
  readonly #parts: ClipParts;
  readonly #viewer: Viewer;
  readonly #button: HTMLElement;
  #plays: number;
  #heardMs = 0;
  #waiting = false; // Play was pressed, and no sound has come yet

  constructor(parts: ClipParts) {
    this.#parts = parts;
    const { scope, root, url, renew } = parts;
    this.#plays = parts.plays;
    this.#button = need("[data-part=play]", root);
    const place = need("[data-part=picture]", root);
    const shown = { bar: false, minimap: false, fields: false, keysOn: null };
    const hint = gettext("Space plays and pauses. The slider below moves to any time.");
    this.#viewer = mountViewer(place, { base: url, renew, hint, scope, ...shown });
    scope.listen(this.#button, "click", () => this.toggle());
    this.#listen(scope);
    for (const type of NEWS) scope.listen(this.#viewer.events, type, () => this.#show());
    this.#show();
  }

  get plays(): number {
    return this.#plays;
  }

  get listened(): Listened {
    return { plays: this.#plays, heard_ms: Math.round(this.#heardMs) };
  }

  get playing(): boolean {
    return this.#viewer.playing;
  }

  toggle(): void {
    if (this.#waiting && !this.#viewer.manifest) return; // it plays as soon as it is there
    const stops = this.#viewer.playing || this.#waiting;
    this.#waiting = !stops;
    if (stops) this.#viewer.stop();
    else this.#viewer.play();
    this.#show();
  }

  stop(): void {
    this.#waiting = false; // what was only asked for tells of no end
    this.#viewer.stop();
    this.#show();
  }

  /** A seek while it sounds starts it anew, and is not another play. */
  #listen(scope: Scope): void {
    const { events } = this.#viewer;
    let from: number | null = null;
    const reach = (sample: number) => {
      const rateHz = this.#viewer.manifest?.sample_rate_hz ?? 1;
      this.#heardMs += (Math.max(sample - (from ?? sample), 0) / rateHz) * 1000;
      this.#parts.changed();
    };
    for (const [type, waiting] of [
      ["start", false],
      ["stall", true],
      ["resume", false],
      ["stop", false],
    ] as const)
      scope.listen(events, type, () => {
        this.#waiting = waiting;
      });
    scope.listen<CustomEvent<PlayerNews>>(events, "start", ({ detail }) => {
      if (from === null) this.#plays += 1;
      from = detail.sample;
      this.#parts.changed();
    });
    scope.listen<CustomEvent<PlayerNews>>(events, "stop", ({ detail }) => {
      if (from !== null) reach(detail.sample);
      from = null;
    });
  }

  #show(): void {
    const { root } = this.#parts;
    const { manifest, position, playing } = this.#viewer;
    const rateHz = manifest?.sample_rate_hz ?? 1;
    const time = `${formatTime(position / rateHz)} / ${formatTime((manifest?.length_samples ?? 0) / rateHz)}`;
    say(need("[data-part=time]", root), time);
    say(
      need("[data-part=plays]", root),
      fill(ngettext("Played {n} time", "Played {n} times", this.#plays), { n: this.#plays }),
    );
    const state = this.#waiting ? "waiting" : playing ? "playing" : "idle";
    if (this.#button.dataset.state === state) return;
    this.#button.dataset.state = state;
    this.#button.setAttribute("aria-busy", String(state === "waiting"));
    this.#button.replaceChildren(...faceOf(state));
  }
}

function faceOf(state: "waiting" | "playing" | "idle"): Element[] {
  if (state === "waiting") return [make("span", {}, gettext("Loading…"))];
  const playing = state === "playing";
  return [icon(playing ? "pause" : "play"), make("span", {}, playing ? gettext("Pause") : gettext("Play"))];
}

function say(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}
