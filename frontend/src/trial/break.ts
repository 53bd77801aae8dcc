// Break between two sessions, and the shorter stop where only the order of the scales changes.
import { need } from "../lib/dom.ts";
import { fill, gettext, ngettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { SessionSummary } from "./contract.ts";
import type { Keys } from "./keys.ts";
import type { Turn } from "./place.ts";

interface BreakFacts {
  turn: Turn;
  /** The session that comes now, and how many there are. */
  next: SessionSummary;
  sessions: number;
  answered: number;
  receipt: string;
  restS: number;
  /** Whether the level can be set again here. */
  offersLevel: boolean;
}

type AfterBreak = "ready" | "level";

/** Minutes and seconds, as a clock shows them. */
function clockText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

export class Break {
  readonly #scope: Scope;
  readonly #keys: Keys;
  readonly #section = need("#rest");
  readonly #title = document.title;

  constructor(scope: Scope, keys: Keys) {
    this.#scope = scope;
    this.#keys = keys;
  }

  /** Show it until the participant goes on, or wants to set the level first. Stopping for today is closing the page. */
  async show(facts: BreakFacts): Promise<AfterBreak> {
    const scope = this.#scope.child();
    this.#describe(facts);
    this.#section.hidden = false;
    need("h1", this.#section).focus();
    if (facts.turn.kind === "session") this.#countDown(scope, facts.restS);
    const after = await new Promise<AfterBreak>((resolve) => {
      const choices = { ready: "#rest-ready", level: "#rest-level" } as const;
      for (const [choice, button] of Object.entries(choices))
        scope.listen(need(button), "click", () => resolve(choice as AfterBreak));
      scope.listen(need("#rest-stop"), "click", () => this.#sayGoodbye());
      this.#keys.on(scope, ({ key }) => {
        if (key === "Enter") resolve("ready");
        else if (key.toLowerCase() === "k" && facts.offersLevel) resolve("level");
        else if (key.toLowerCase() === "s") this.#sayGoodbye();
        else return false;
        return true;
      });
      scope.own(() => resolve("ready"));
    });
    scope.dispose();
    this.#section.hidden = true;
    document.title = this.#title;
    return after;
  }

  #describe({ turn, next, sessions, answered, receipt, restS, offersLevel }: BreakFacts): void {
    const isBreak = turn.kind === "session";
    const values = { session: next.session, sessions, answered, receipt, minutes: minutesOf(next.seconds_left) };
    const titles = {
      session: gettext("Rest your ears"),
      practice: gettext("Practice is over"),
      order: gettext("The order changes"),
    };
    need("#rest-title").textContent = titles[turn.kind];
    need("#rest-safe").textContent = fill(
      ngettext("{answered} answer is saved on the server.", "{answered} answers are saved on the server.", answered),
      values,
    );
    const minutes = Math.round(restS / 60);
    need("#rest-suggested").textContent = minutes
      ? fill(ngettext("Take a {minutes}-minute break.", "Take a {minutes}-minute break.", minutes), { minutes })
      : gettext("Take a short break.");
    need("#rest-receipt").textContent = receipt;
    need("#rest-next").textContent =
      turn.kind === "practice"
        ? gettext("Your answers count from now on.")
        : fill(gettext("Next: session {session} of {sessions}, about {minutes} min."), values);
    need("#rest-order").textContent = turn.order;
    need("#rest-order").hidden = !turn.order;
    need("#rest-goodbye").hidden = true;
    for (const part of this.#section.querySelectorAll<HTMLElement>("[data-break-only]")) part.hidden = !isBreak;
    need("#rest-next").hidden = turn.kind === "order";
    need("#rest-level").hidden = !(isBreak && offersLevel);
  }

  #countDown(scope: Scope, restS: number): void {
    const endsMs = performance.now() + restS * 1000;
    const bar = need<HTMLProgressElement>("#rest-bar");
    const draw = () => {
      const leftS = Math.max(0, (endsMs - performance.now()) / 1000);
      need("#rest-clock").textContent = clockText(leftS);
      bar.max = restS || 1;
      bar.value = restS - leftS;
      document.title = leftS ? fill(gettext("Break, {left} left"), { left: clockText(leftS) }) : this.#title;
    };
    draw();
    scope.every(1000, draw);
  }

  #sayGoodbye(): void {
    const goodbye = need("#rest-goodbye");
    goodbye.hidden = false;
    goodbye.focus();
  }
}

function minutesOf(seconds: number): number {
  return Math.max(1, Math.round(seconds / 60));
}
