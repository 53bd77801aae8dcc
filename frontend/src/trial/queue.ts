// Queue of the pages ahead, and their clips, fetched before their turn.

import { Problem } from "../lib/http.ts";
import type { Json, VoteEvent } from "../outbox/events.ts";
import type { Clip, Player } from "../player/player.ts";
import type { TrialPage } from "./contract.ts";

/** A page as it stands here: with the newest step that the server may not have yet. */
export function asOf(page: TrialPage, waiting: readonly VoteEvent[]): TrialPage {
  const newest = waiting.filter((event) => event.trial === page.trial && event.revision >= page.revision).at(-1);
  return newest ? { ...page, draft: newest.payload, revision: newest.revision + 1 } : page;
}

/** The pages ahead: what the server says comes next, less what was answered here and is still on its way. Pure. */
export class TrialQueue {
  #pages: TrialPage[] = [];
  readonly #answered = new Set<string>();

  get pages(): readonly TrialPage[] {
    return this.#pages;
  }

  get first(): TrialPage | undefined {
    return this.#pages[0];
  }

  find(trial: string): TrialPage | undefined {
    return this.#pages.find((page) => page.trial === trial);
  }

  /** Take the server's list as the truth, except for answers that it does not know yet. Returns the pages of those. */
  merge(pages: readonly TrialPage[]): TrialPage[] {
    this.#pages = pages.filter((page) => !this.#answered.has(page.trial));
    return pages.filter((page) => this.#answered.has(page.trial));
  }

  /** A page was worked on, here or from another page: it goes on from that step. */
  stepped({ trial, revision }: TrialPage, draft: Json): void {
    this.#pages = this.#pages.map((page) => (page.trial === trial ? { ...page, draft, revision: revision + 1 } : page));
  }

  markAnswered(trial: string): void {
    this.#answered.add(trial);
    this.#pages = this.#pages.filter((page) => page.trial !== trial);
  }

  /** The clip failed: the server says with its next list when it comes again, if it does. */
  postpone(trial: string): void {
    this.#pages = this.#pages.filter((page) => page.trial !== trial);
  }

  /** The server would not take the answer: the trial comes again with the next list. */
  reopen(trial: string): void {
    this.#answered.delete(trial);
  }
}

type Sound = TrialPage["media"][string];

/** What the server says comes next, with fresh addresses. */
type Renew = () => Promise<readonly TrialPage[]>;

const GONE = 410;

/** Clips fetched ahead of their turn, and released when they are no longer ahead. Expired addresses are renewed. */
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
    const wanted = new Set(
      upcoming.flatMap((page) => Object.keys(page.media).map((slot) => clipKey(page.trial, slot))),
    );
    for (const name of this.#ready.keys()) if (!wanted.has(name)) this.#ready.delete(name);
    for (const page of upcoming) this.#ahead = this.#ahead.then(() => this.of(page)).catch(() => {});
  }

  #get(trial: string, slot: string, sound: Sound): Promise<Clip> {
    const name = clipKey(trial, slot);
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

function clipKey(trial: string, slot: string): string {
  return `${trial} ${slot}`;
}
