// Moves between pages: on with an answer, back to the page before, and on with an earlier answer as it was.
import { need } from "../../../frontend/src/lib/dom.ts";
import { gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { Autosave } from "../../../frontend/src/workspace/autosave.ts";
import { openPageBefore } from "../../../frontend/src/workspace/pageBefore.ts";
import type { Payload } from "./contract.ts";
import type { Sound } from "./sound.ts";

interface MovesParts {
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  scope: Scope;
  sound(): Sound;
  /** What is answered on the page, complete or not. */
  answer(): Payload;
  /** Whether something is missing, after that was said. */
  lacks(): boolean;
}

/** The ways off a page. Every change is kept; on a page that was answered before, only when Next or Back is pressed. */
export class PageMoves {
  readonly #parts: MovesParts;
  readonly #drafts: Autosave;
  readonly #given: Payload; // the answer as the page was opened
  readonly #plays: number;

  /** Made when the page shows the answer it begins with. */
  constructor(parts: MovesParts) {
    this.#parts = parts;
    const { root, page, host, scope, sound } = parts;
    this.#drafts = new Autosave(scope, host, () => host.keep(this.#payload(false), sound().listened));
    this.#given = parts.answer();
    this.#plays = sound().listened.plays;
    const part = (name: string) => need(`[data-part=${name}]`, root);
    const isFirst = page.place.number === 1 && !host.sessions.some(({ session }) => session < page.session);
    part("back").hidden = isFirst;
    part("reopened").hidden = !page.answered;
    part("given").textContent = page.answered ? gettext("This was your answer. You can change it.") : "";
    scope.listen(part("finish"), "click", () => this.#next());
    scope.listen(part("back"), "click", () => this.#back());
    scope.listen(part("keep"), "click", () => this.#close(this.#given));
    page.keys.on(scope, ({ key }) => {
      if (key !== "Backspace" || isFirst) return false;
      this.#back();
      return true;
    });
    // Esc stops the sound first.
    if (page.answered) page.keys.onCancel(scope, () => sound().sounding || this.#close(this.#given));
  }

  /** The answer was changed, or the sound was played. */
  changed(): void {
    if (!this.#parts.page.answered) this.#drafts.soon("act");
  }

  get #isChanged(): boolean {
    const { answer, sound } = this.#parts;
    return JSON.stringify(answer()) !== JSON.stringify(this.#given) || sound().listened.plays !== this.#plays;
  }

  #next(): void {
    const { answer, lacks } = this.#parts;
    if (!lacks()) this.#close(answer());
  }

  /** Store the answer and go on, unless it is stored already. */
  #close(answer: Payload): void {
    const { page, host, sound } = this.#parts;
    const isStored = page.answered && JSON.stringify(answer) === JSON.stringify(this.#given);
    this.#drafts.drop();
    if (isStored && sound().listened.plays === this.#plays) host.goOn();
    else void host.finish(this.#payload(true, answer), sound().listened);
  }

  /** An answer that was given before is never left half changed. */
  #back(): void {
    const { page, host, scope, sound, lacks } = this.#parts;
    const isRevised = page.answered && this.#isChanged;
    if (isRevised && lacks()) return;
    const leave = () => {
      if (isRevised) void host.answer(page, this.#payload(true), sound().listened, true);
      else this.#drafts.flush();
    };
    void openPageBefore({ scope, host, trial: page.trial, leave });
  }

  #payload(finished: boolean, answer = this.#parts.answer()): Payload {
    return { ...answer, listened: { plays: this.#parts.sound().listened.plays }, finished };
  }
}
