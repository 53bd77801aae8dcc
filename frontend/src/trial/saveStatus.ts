// Save status of the page: the pill and, when the participant must act, the box that says how.
import { copyText, need } from "../lib/dom.ts";
import { fill, gettext, ngettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { VoteEvent } from "../outbox/events.ts";
import type { ProblemReason, SaveState } from "../outbox/outbox.ts";

interface PillText {
  state: "saved" | "saving" | "kept" | "problem";
  text: string;
  trouble: string; // empty when nothing needs to be said
}

/** What to show for a state; `anyAnswer`: whether there is something that could be saved. Pure. */
export function describe(state: SaveState, clock: (iso: string) => string, anyAnswer = true): PillText {
  switch (state.kind) {
    case "saved": {
      const text = state.at ? fill(gettext("Saved {time}"), { time: clock(state.at) }) : gettext("Saved");
      return { state: "saved", text: state.at || anyAnswer ? text : "", trouble: "" };
    }
    case "saving":
      return { state: "saving", text: gettext("Saving…"), trouble: "" };
    case "kept":
      return {
        state: "kept",
        text: fill(ngettext("{count} answer waiting to send", "{count} answers waiting to send", state.waiting), {
          count: state.waiting,
        }),
        trouble: gettext(
          "The server cannot be reached. Your answers are kept on this device and will be sent when the connection is back. You can continue; please keep this page open.",
        ),
      };
    case "problem":
      return { state: "problem", text: gettext("Not saved – see below"), trouble: problemText(state.reason) };
  }
}

function problemText(reason: ProblemReason): string {
  switch (reason) {
    case "session":
      return gettext(
        "This browser no longer holds your place. Open your link again: your answers are kept here and will be sent.",
      );
    case "storage":
      return gettext(
        "This browser cannot keep answers, and the server cannot be reached. Please keep this page open until they are saved.",
      );
    case "refused":
      return gettext("The server did not accept the last answer. Please answer again.");
    case "rejected":
      return gettext(
        "The server could not read one of your answers. Copy your answers and send them to the experimenter.",
      );
  }
}

/** All that is on its way is saved, but something else was done meanwhile. Pure. */
export function overlaid(state: SaveState, changes: number): SaveState {
  return changes && state.kind === "saved" ? { kind: "saving", waiting: changes } : state;
}

export class SaveStatus {
  readonly #pill = need("#save-state");
  readonly #trouble = need("#trouble");
  readonly #sentence = need("#trouble-sentence");
  readonly #clock: Intl.DateTimeFormat;
  #sessionLost = false;
  #anyAnswer = false; // whether the server has an answer, or a draft of one
  #state: SaveState = { kind: "saved", at: null };
  readonly #changes = new Set<symbol>(); // done, and not on their way yet

  constructor(scope: Scope, act: { retry: () => void; waiting: () => readonly VoteEvent[] }) {
    const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
    this.#clock = new Intl.DateTimeFormat(document.documentElement.lang || undefined, time);
    scope.listen(need("#retry"), "click", act.retry);
    scope.listen(need("#copy-answers"), "click", () => this.#copy(act.waiting()));
  }

  show(state: SaveState): void {
    this.#state = state;
    this.#draw();
  }

  /** Something was done that the outbox does not have yet; over when what this gives is called. */
  changing(): () => void {
    const change = Symbol("change");
    this.#changes.add(change);
    this.#draw();
    return () => {
      if (this.#changes.delete(change)) this.#draw();
    };
  }

  /** The server has an answer, or a draft of one. Before that nothing is called saved. */
  setAnyAnswer(any: boolean): void {
    this.#anyAnswer = any;
    this.#draw();
  }

  /** The server no longer knows this browser, as seen by a request other than the outbox's. */
  setSessionLost(lost: boolean): void {
    this.#sessionLost = lost;
    this.#draw();
  }

  #draw(): void {
    const state = overlaid(this.#state, this.#changes.size);
    const shown = describe(state, (iso) => this.#clock.format(new Date(iso)), this.#anyAnswer);
    const trouble = this.#sessionLost
      ? gettext(
          "This browser no longer holds your place. Open your link again: your answers are kept here and will be sent.",
        )
      : shown.trouble;
    this.#pill.dataset.state = shown.state;
    // Not a live region: "Saved" would be spoken over the next clip.
    if (this.#pill.textContent !== shown.text) this.#pill.textContent = shown.text;
    this.#trouble.hidden = !trouble; // seen before it is written, because a live region that is hidden says nothing
    if (this.#sentence.textContent !== trouble) this.#sentence.textContent = trouble;
  }

  async #copy(events: readonly VoteEvent[]): Promise<void> {
    const text = JSON.stringify({ page: location.pathname, events }, null, 1);
    const box = need<HTMLTextAreaElement>("#answers-text");
    box.value = text;
    if (await copyText(text)) {
      need("#copy-note").textContent = gettext("Copied.");
      return;
    }
    box.hidden = false; // no clipboard here: the text itself, ready to be copied by hand
    box.select();
  }
}
