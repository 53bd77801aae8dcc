// View of ABX: three buttons that switch between aligned sounds, and two answers that open when all three were heard.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { decimal, fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import { Comparison } from "../../../frontend/src/player/comparison.ts";
import type { Clip } from "../../../frontend/src/player/player.ts";
import type { Revision, ShownPage, TrialFrame, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { digitOf } from "../../../frontend/src/trial/keys.ts";

const SOUNDS = ["a", "b", "x"];
const ANSWERS = ["a", "b"];
const SHOWN_EVERY_MS = 50;

export const clipsAhead = true;

export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  new AbxTrial(host, page, scope);
}

/** The button of the sound that plays stops it, so that Space on it does what Space does everywhere. */
function press(comparison: Comparison, voice: number): void {
  if (comparison.playing && comparison.active === voice) comparison.toggle();
  else comparison.hear(voice);
}

function notPlayedAgain(): string {
  return gettext("The sounds are not played again.");
}

class AbxTrial {
  readonly #host: WorkspaceHost;
  readonly #page: ShownPage;
  readonly #scope: Scope;
  readonly #frame: TrialFrame;
  readonly #sounds: HTMLButtonElement[];
  readonly #play: HTMLButtonElement;
  readonly #position: HTMLInputElement;
  readonly #time: HTMLElement;
  readonly #answers: HTMLInputElement[];
  #comparison: Comparison | null = null;
  #open = false; // whether the answers are
  #saving = false;
  #answeredMs = 0;

  constructor(host: WorkspaceHost, page: ShownPage, scope: Scope) {
    this.#host = host;
    this.#page = page;
    this.#scope = scope;
    this.#frame = host.showTrial();
    const { screen, player, already } = this.#frame;
    const controls = screen.markup();
    this.#sounds = SOUNDS.map((sound) => need<HTMLButtonElement>(`[data-sound=${sound}]`, controls));
    this.#play = need<HTMLButtonElement>("[data-part=play]", controls);
    this.#position = need<HTMLInputElement>("[data-part=position]", controls);
    this.#time = need("[data-part=time]", controls);
    screen.showControls(controls);
    this.#answers = this.#buildAnswers();
    scope.own(() => player.stop());
    this.#wire();
    if (already) this.#revise(already);
    else void this.#load();
  }

  #wire(): void {
    const scope = this.#scope;
    for (const [voice, button] of this.#sounds.entries())
      scope.listen(button, "click", () => void this.#act((comparison) => press(comparison, voice)));
    // A press by pointer takes no focus, so that Space and Enter keep their meaning after it.
    for (const button of [...this.#sounds, this.#play])
      scope.listen(button, "mousedown", (event) => event.preventDefault());
    scope.listen(this.#play, "click", () => void this.#act((comparison) => comparison.toggle()));
    scope.listen(this.#position, "input", () => this.#comparison?.seek(this.#position.valueAsNumber));
    scope.listen(this.#frame.screen.view, "change", () => this.#answered());
    scope.listen(this.#frame.screen.view, "click", () => this.#explainLock());
    scope.listen(this.#frame.screen.next, "click", () => void this.#next());
    scope.listen(this.#frame.screen.previous, "click", () => void this.#reopen());
    this.#page.keys.on(scope, (event) => this.#key(event));
  }

  /** The answers look like the categories of other protocols; their words are the label set's. */
  #buildAnswers(): HTMLInputElement[] {
    const words = this.#page.labels.ANSWER;
    const anchors = words?.anchors ?? [];
    const inputs = ANSWERS.map((value) =>
      make("input", { type: "radio", class: "fills-label", name: "answer", value, autocomplete: "off" }),
    );
    const choices = inputs.map((input, place) =>
      make(
        "label",
        { class: "scale__choice" },
        input,
        make("span", { class: "scale__value" }, String(place + 1)),
        make("span", {}, anchors[place]?.label ?? ""),
        make("span", { class: "scale__tick", "aria-hidden": "true" }, "✓"),
      ),
    );
    this.#frame.screen.view.append(
      make(
        "fieldset",
        { class: "scale", lang: words?.language ?? "" },
        make("legend", {}, words?.question ?? ""),
        make("div", { class: "scale__choices abx__answers" }, ...choices),
      ),
    );
    return inputs;
  }

  async #load(): Promise<void> {
    const { clips, screen, player } = this.#frame;
    screen.showPhase("loading", { canPlay: false, again: false, note: "" });
    screen.offerNext(gettext("The sounds are still loading."));
    screen.offerPrevious(this.#mayReopen);
    this.#play.setAttribute("aria-busy", "true");
    need("[data-part=play-label]", this.#play).textContent = gettext("Loading…");
    const ready = await clips;
    if (this.#scope.disposed) return;
    this.#play.removeAttribute("aria-busy");
    this.#comparison = new Comparison({
      player,
      clips: SOUNDS.map((sound) => ready.get(sound) as Clip),
      scope: this.#scope,
      loop: this.#page.options.loop !== false,
      playsAllowed: this.#page.plays_allowed,
      changed: () => this.#show(),
    });
    this.#position.max = String(this.#comparison.durationS);
    this.#position.disabled = this.#page.plays_allowed > 0;
    this.#scope.every(SHOWN_EVERY_MS, () => this.#follow());
    this.#show();
    this.#frame.screen.focus("player");
  }

  /** A page that was heard before only takes another answer; going on without a change keeps the first, and so does Esc. */
  #revise({ answer, keep }: Revision): void {
    this.#open = true;
    for (const input of this.#answers) input.checked = input.value === (answer as { answer: string }).answer;
    this.#page.keys.onCancel(this.#scope, keep);
    // Not `disabled`, so that a press still says why they are off.
    for (const button of [...this.#sounds, this.#play]) {
      button.disabled = false;
      button.setAttribute("aria-disabled", "true");
    }
    this.#enterAgain(gettext("This was your answer. You can change it."));
    this.#frame.screen.focus("view");
  }

  #enterAgain(note: string): void {
    this.#enter(`${note} ${notPlayedAgain()}`);
  }

  get #mayReopen(): boolean {
    return this.#frame.reopen !== undefined && !this.#comparison?.plays;
  }

  /** Open the answer before again; false where that cannot be done, as after sound was played here. */
  #reopen(): boolean {
    if (!this.#mayReopen) return false;
    this.#frame.reopen?.();
    return true;
  }

  #explainLock(): boolean {
    if (this.#open) return false;
    this.#frame.screen.explain(gettext("You can answer when you have heard A, B and X."));
    return true;
  }

  /** Browsers let a page sound only after a click or a key. */
  async #act(act: (comparison: Comparison) => void): Promise<void> {
    const { player, screen } = this.#frame;
    if (this.#saving) return;
    if (this.#frame.already) return screen.explain(notPlayedAgain());
    if (!this.#comparison) return screen.explain(gettext("The sounds are still loading."));
    if (!(await player.unlock()))
      return screen.note(
        gettext("Your browser keeps the sound off. Allow sound for this page, then press Play again."),
      );
    act(this.#comparison);
  }

  #show(): void {
    const comparison = this.#comparison;
    if (!comparison || this.#scope.disposed || this.#saving) return;
    const { playing, active, isHeard, playsLeft } = comparison;
    for (const [voice, button] of this.#sounds.entries()) {
      button.disabled = !playing && playsLeft === 0;
      button.setAttribute("aria-pressed", String(voice === active && (playing || isHeard.includes(true))));
      button.toggleAttribute("data-heard", isHeard[voice] ?? false);
    }
    this.#play.disabled = !playing && playsLeft === 0;
    need("[data-part=play-label]", this.#play).textContent = playing ? gettext("Stop") : gettext("Play");
    if (!this.#open && isHeard.every(Boolean)) this.#open = true;
    this.#enter(this.#note(isHeard, playsLeft));
    this.#showPosition();
  }

  /** What changes by itself while sound plays: the position, and once for each sound that it was heard. */
  #follow(): void {
    const comparison = this.#comparison;
    if (!comparison?.playing) return;
    const shown = this.#sounds.filter((button) => button.hasAttribute("data-heard")).length;
    if (comparison.isHeard.filter(Boolean).length !== shown) this.#show();
    else this.#showPosition();
  }

  #showPosition(): void {
    const { positionS = 0, durationS = 0 } = this.#comparison ?? {};
    this.#position.value = String(positionS);
    this.#position.setAttribute("aria-valuetext", `${Math.floor(positionS)} s`);
    this.#time.textContent = `${decimal(positionS.toFixed(1))} / ${decimal(durationS.toFixed(1))} s`;
  }

  #note(isHeard: readonly boolean[], playsLeft: number): string {
    const left = Number.isFinite(playsLeft) ? ` ${fill(gettext("Plays left: {n}"), { n: playsLeft })}` : "";
    const words = this.#page.labels.ANSWER?.anchors[ANSWERS.indexOf(this.#answer ?? "")];
    if (words)
      return (
        fill(gettext("Your answer: {answer}. You can listen again and change it."), { answer: words.label }) + left
      );
    if (!isHeard.includes(true)) return gettext("Press A, B or X to hear it.") + left;
    const sounds = SOUNDS.filter((_, voice) => !isHeard[voice]).map((sound) => sound.toUpperCase());
    return (
      (sounds.length
        ? fill(gettext("Still to hear: {sounds}"), { sounds: sounds.join(", ") })
        : gettext("Switch as often as you like, then answer.")) + left
    );
  }

  #enter(note: string): void {
    const { screen } = this.#frame;
    screen.showPhase(this.#open ? "rate" : "ready", { canPlay: false, again: false, note });
    screen.offerPrevious(this.#mayReopen);
    screen.offerProblem(Boolean(this.#comparison?.plays));
    screen.offerNext(
      !this.#open
        ? gettext("Listen to A, B and X first.")
        : this.#answer === undefined
          ? gettext("Choose an answer first.")
          : "",
    );
  }

  get #answer(): string | undefined {
    return this.#answers.find(({ checked }) => checked)?.value;
  }

  #answered(): void {
    this.#answeredMs = performance.now();
    if (this.#comparison) this.#show();
    else this.#enterAgain(gettext("Press Next to go on."));
  }

  async #next(): Promise<void> {
    const { screen, player, already } = this.#frame;
    const [answer, comparison] = [this.#answer, this.#comparison];
    if (this.#saving) return;
    if (answer === undefined || !this.#open) return screen.explainNext();
    if (already && (already.answer as { answer: string }).answer === answer) return already.keep();
    const heard = already?.heard ?? comparison?.heard(this.#answeredMs);
    if (!heard) return;
    const [a = 0, b = 0, x = 0] = (comparison?.heardS ?? []).map((seconds) => Math.round(seconds * 1000));
    const listened = comparison ? { heard_ms: { a, b, x }, switches: comparison.switches } : {};
    this.#saving = true;
    player.stop();
    screen.showPhase("saving", { canPlay: false, again: false, note: gettext("Saving…") });
    screen.offerNext(gettext("Saving…"));
    await this.#host.finish({ answer, ...listened }, heard);
  }

  #key(event: KeyboardEvent): boolean {
    const voice = SOUNDS.indexOf(event.key.toLowerCase());
    if (voice >= 0) void this.#act((comparison) => comparison.hear(voice));
    else if (event.key === " ") void this.#act((comparison) => comparison.toggle());
    else if (event.key === "Enter") void this.#next();
    else if (event.key === "Backspace") return this.#reopen();
    else return this.#choose(digitOf(event.code));
    return true;
  }

  #choose(digit: number | undefined): boolean {
    const input = digit === undefined ? undefined : this.#answers[digit - 1];
    if (!input) return false;
    if (this.#explainLock()) return true;
    input.checked = true; // without the focus, so that Space goes on playing and stopping
    this.#answered();
    return true;
  }
}
