// What a visit asks the server: what comes next, every page, the receipt. Asked until there is an answer, with words meanwhile.
import { Problem, requestJson } from "../lib/http.ts";
import { isRefusal, retrying } from "../lib/retry.ts";
import { Alarm, type Scope } from "../lib/scope.ts";
import type { TrialPage, Upcoming, VisitConfig } from "./contract.ts";
import type { SaveStateView } from "./savestate.ts";
import type { Screen } from "./screen.ts";
import type { Texts } from "./texts.ts";

const SEAT_GIVEN_AWAY = "visit.abandoned";

export interface AskingParts {
  config: VisitConfig;
  texts: Texts;
  scope: Scope;
  screen: Screen;
  saveState: SaveStateView;
}

export class Asking {
  readonly #parts: AskingParts;
  readonly #alarm = new Alarm();

  constructor(parts: AskingParts) {
    this.#parts = parts;
  }

  /** Try again now: somebody asked, or the network came back. */
  wake(): void {
    this.#alarm.ring();
  }

  async upcoming(): Promise<Upcoming> {
    const upcoming = await this.#get<Upcoming>("upcoming/");
    this.#parts.saveState.setSessionLost(false);
    return upcoming;
  }

  /** Every page of the visit with the answers that were given, where they may be changed until they are handed in. */
  async pages(): Promise<TrialPage[]> {
    return (await this.#get<{ trials: TrialPage[] }>("pages/")).trials;
  }

  /** Hand everything in, and go to the receipt. */
  async finish(): Promise<void> {
    const { config, screen, scope, texts } = this.#parts;
    screen.showChecking();
    const ask = () =>
      requestJson<{ receipt_url: string }>(`${config.api}finish/`, {
        json: {},
        csrf: config.csrf,
        signal: scope.signal,
      });
    try {
      const receipt = await retrying(ask, { ...this.retry(scope, texts.waiting_for_network), isFinal: isRefusal });
      location.replace(receipt.receipt_url);
    } catch (error) {
      // Answers are missing after all, for instance because one was refused at the last moment.
      screen.notice(error instanceof Problem ? error.message : texts.refused_page);
      location.reload();
    }
  }

  /** How something is tried again, and what is said while it fails. */
  retry(scope: Scope, sentence: string) {
    const onFailure = (error: unknown) => {
      if (error instanceof Problem && error.code === SEAT_GIVEN_AWAY) location.reload(); // the page says what happened
      const lost = error instanceof Problem && error.sessionLost;
      this.#parts.saveState.setSessionLost(lost);
      this.#parts.screen.note(isRefusal(error) ? (error as Problem).message : sentence);
    };
    return { scope, onFailure, alarm: this.#alarm };
  }

  async #get<T>(path: string): Promise<T> {
    const { config, scope, texts, screen } = this.#parts;
    const ask = () => requestJson<T>(`${config.api}${path}`, { signal: scope.signal });
    const answer = await retrying(ask, this.retry(scope, texts.waiting_for_network));
    screen.noteOver();
    return answer;
  }
}
