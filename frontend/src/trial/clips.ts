// Clips made ready ahead of their turn; what is no longer ahead is let go. Addresses expire and are renewed silently.

import { Problem } from "../lib/http.ts";
import type { Clip, Player } from "../player/player.ts";
import type { TrialPage } from "./contract.ts";

type Sound = TrialPage["media"][string];

/** What the server says comes next, with fresh addresses. */
export type Renew = () => Promise<readonly TrialPage[]>;

const GONE = 410;

export class Clips {
  readonly #player: Pick<Player, "prepare">;
  readonly #renew: Renew;
  // By trial and slot, because the same clip has another address each time the server is asked.
  readonly #ready = new Map<string, Promise<Clip>>();
  #ahead: Promise<unknown> = Promise.resolve();

  constructor(player: Pick<Player, "prepare">, renew: Renew) {
    this.#player = player;
    this.#renew = renew;
  }

  /** All clips of a page by slot; a clip that failed is asked for anew by the next call. */
  async of(page: TrialPage): Promise<Map<string, Clip>> {
    const slots = Object.entries(page.media);
    const clips = await Promise.all(slots.map(([slot, sound]) => this.#get(page.trial, slot, sound)));
    return new Map(slots.map(([slot], index) => [slot, clips[index] as Clip]));
  }

  /** Fetch in the order of need, one page after another, so that the nearest is never behind the furthest. */
  prepare(upcoming: readonly TrialPage[]): void {
    const wanted = new Set(upcoming.flatMap((page) => Object.keys(page.media).map((slot) => nameOf(page.trial, slot))));
    for (const name of this.#ready.keys()) if (!wanted.has(name)) this.#ready.delete(name);
    for (const page of upcoming) this.#ahead = this.#ahead.then(() => this.of(page)).catch(() => {});
  }

  #get(trial: string, slot: string, sound: Sound): Promise<Clip> {
    const name = nameOf(trial, slot);
    const known = this.#ready.get(name);
    if (known) return known;
    const clip = this.#fetch(trial, slot, sound);
    this.#ready.set(name, clip);
    clip.catch(() => {
      if (this.#ready.get(name) === clip) this.#ready.delete(name);
    });
    return clip;
  }

  async #fetch(trial: string, slot: string, sound: Sound): Promise<Clip> {
    try {
      return await this.#player.prepare(sound.url, sound.duration_s);
    } catch (error) {
      if (!(error instanceof Problem && error.status === GONE)) throw error;
      const page = (await this.#renew()).find((fresh) => fresh.trial === trial);
      const fresh = page?.media[slot];
      if (!fresh) throw error; // answered on another device meanwhile: the page will notice
      return this.#player.prepare(fresh.url, fresh.duration_s);
    }
  }
}

function nameOf(trial: string, slot: string): string {
  return `${trial} ${slot}`;
}
