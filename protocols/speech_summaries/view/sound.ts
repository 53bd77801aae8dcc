// Sound of the utterance, on demand: fetched when it is first played, stopped by the same button or by Esc.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Listened } from "../../../frontend/src/outbox/events.ts";
import { heardSeconds } from "../../../frontend/src/player/heard.ts";
import { type Clip, Player } from "../../../frontend/src/player/player.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { icon } from "../../../frontend/src/viewer/dom.ts";

interface SoundParts {
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  scope: Scope;
  /** How often it was played on an earlier visit to the page. */
  plays: number;
  /** A play began. */
  onPlay: () => void;
}

export class Sound {
  readonly #parts: SoundParts;
  readonly #button: HTMLButtonElement;
  readonly #note: HTMLElement;
  #player: Player | null = null;
  #clip: Promise<Clip> | null = null;
  #sounding = false;
  #waiting = false; // pressed, and no sound has come yet
  #plays: number;
  #heardS = 0;

  constructor(parts: SoundParts) {
    const { root, page, scope } = parts;
    this.#parts = parts;
    this.#plays = parts.plays;
    this.#button = need<HTMLButtonElement>("[data-part=play]", root);
    this.#note = need("[data-part=sound-note]", root);
    need("[data-part=sound]", root).hidden = !this.exists;
    scope.listen(this.#button, "click", () => this.toggle());
    page.keys.onStop(scope, () => this.#player?.stop());
    this.#show();
  }

  get exists(): boolean {
    const { media } = this.#parts.page;
    return media.sound !== undefined && !media.sound.sliced;
  }

  get listened(): Listened {
    return { plays: this.#plays, heard_ms: Math.round(this.#heardS * 1000) };
  }

  /** Whether it plays, or is about to. */
  get sounding(): boolean {
    return this.#sounding;
  }

  get #playsLeft(): number {
    const allowed = this.#parts.page.plays_allowed;
    return allowed ? Math.max(allowed - this.#plays, 0) : Number.POSITIVE_INFINITY;
  }

  toggle(): void {
    if (this.#sounding) this.#player?.stop();
    else if (this.exists && this.#playsLeft > 0) void this.#play();
    else if (this.exists) this.#note.textContent = gettext("You have played it as often as this test allows.");
  }

  async #play(): Promise<void> {
    const { scope, onPlay } = this.#parts;
    this.#player ??= new Player(scope);
    const player = this.#player;
    let failure = "";
    this.#sounding = this.#waiting = true;
    this.#show();
    try {
      const [clip, allowed] = await Promise.all([this.#fetch(player), player.unlock()]);
      this.#waiting = false;
      if (allowed) {
        this.#plays += 1;
        this.#show();
        onPlay();
        this.#heardS += heardSeconds(await player.play(clip));
      } else failure = gettext("Your browser keeps the sound off. Allow sound for this page, then press Play again.");
    } catch {
      this.#clip = null; // asked for anew by the next press
      failure = gettext("The sound did not load. Press Play to try again, or go on without it.");
    }
    this.#sounding = this.#waiting = false;
    if (!scope.disposed) this.#show(failure);
  }

  #fetch(player: Player): Promise<Clip> {
    const { page, host } = this.#parts;
    const prepare = (media: ShownPage["media"]) => {
      if (!media.sound) throw new Error("gone");
      return player.prepare(media.sound.url, media.sound.duration_s);
    };
    // An address expires; a page may be open for hours before the sound is played.
    this.#clip ??= prepare(page.media).catch(() => host.renew().then(prepare));
    return this.#clip;
  }

  /** With what went wrong, or how often it can still be played. */
  #show(failure = ""): void {
    const word = this.#waiting ? gettext("Loading…") : this.#sounding ? gettext("Stop") : gettext("Play");
    const sign = this.#waiting ? [] : [icon(this.#sounding ? "stop" : "play")];
    this.#button.replaceChildren(...sign, make("span", {}, word));
    this.#button.setAttribute("aria-busy", String(this.#waiting));
    this.#button.setAttribute("aria-disabled", String(!this.#sounding && this.#playsLeft === 0));
    const left = Number.isFinite(this.#playsLeft) ? fill(gettext("Plays left: {n}"), { n: this.#playsLeft }) : "";
    this.#note.textContent = failure || left;
  }
}
