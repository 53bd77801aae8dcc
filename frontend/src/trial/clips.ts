// Clips made ready ahead of their turn; what is no longer ahead is let go.
import type { Clip, Player } from "../player/player.ts";
import type { TrialPage } from "./contract.ts";

export class Clips {
  readonly #player: Player;
  readonly #ready = new Map<string, Promise<Clip>>();
  #ahead: Promise<unknown> = Promise.resolve();

  constructor(player: Player) {
    this.#player = player;
  }

  /** All clips of a page by slot; a clip that failed is asked for anew by the next call. */
  async of(page: TrialPage): Promise<Map<string, Clip>> {
    const slots = Object.entries(page.media);
    const clips = await Promise.all(slots.map(([, { url, duration_s }]) => this.#get(url, duration_s)));
    return new Map(slots.map(([slot], index) => [slot, clips[index] as Clip]));
  }

  /** Fetch in the order of need, one page after another, so that the nearest is never behind the furthest. */
  prepare(pages: readonly TrialPage[]): void {
    const wanted = new Set(pages.flatMap((page) => Object.values(page.media).map(({ url }) => url)));
    for (const url of this.#ready.keys()) if (!wanted.has(url)) this.#ready.delete(url);
    for (const page of pages) this.#ahead = this.#ahead.then(() => this.of(page)).catch(() => {});
  }

  #get(url: string, durationS: number): Promise<Clip> {
    const known = this.#ready.get(url);
    if (known) return known;
    const clip = this.#player.prepare(url, durationS);
    this.#ready.set(url, clip);
    clip.catch(() => this.#ready.delete(url));
    return clip;
  }
}
