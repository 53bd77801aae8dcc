// Elements of the visit's page and what each phase shows. Nothing here decides anything.
import { need } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { SessionSummary, TrialPage } from "./contract.ts";
import { attention, partOf, whereText } from "./place.ts";

export type Phase = "loading" | "ready" | "playing" | "rate" | "saving";

export class Screen {
  readonly instructions = need("#instructions");
  readonly start = need<HTMLButtonElement>("#start");
  readonly play = need<HTMLButtonElement>("#play");
  readonly next = need<HTMLButtonElement>("#next");
  readonly view = need("#view");
  readonly workspace = need("#workspace");
  readonly pause = need<HTMLButtonElement>("#pause");
  readonly problem = need<HTMLButtonElement>("#problem");
  readonly #trial = need("#trial");
  readonly #player = need("#player");
  readonly #place = need("#play-place");
  readonly #controls = need("#controls");
  readonly #cross = need("#cross");
  readonly #heard = need("#heard");
  readonly #playLabel = need("#play-label");
  readonly #note = need("#play-note");
  readonly #gate = need<HTMLFieldSetElement>("#gate");
  readonly #where = need("#where");
  readonly #part = need("#part");
  readonly #word = need("#word");
  readonly #attend = need("#attend");
  readonly #progress = need<HTMLProgressElement>("#progress");
  readonly #practice = need("#practice");
  readonly #notice = need("#notice");
  readonly #waiting = need("#waiting");
  readonly #checking = need("#checking");

  /** Show one part of the visit and hide the others. */
  show(place: "instructions" | "trial" | "workspace" | "none"): void {
    this.instructions.hidden = place !== "instructions";
    this.#trial.hidden = place !== "trial";
    this.workspace.hidden = place !== "workspace";
    if (place !== "none") this.noteOver();
    document.body.toggleAttribute("data-workspace", place === "workspace");
    if (place === "instructions") need("h1", this.instructions).focus();
    if (place === "workspace") window.scrollTo({ top: 0 }); // not where the page before was left
  }

  showTrial(page: TrialPage, sessions: readonly SessionSummary[]): void {
    this.show("trial");
    this.view.replaceChildren();
    this.nameSound("");
    this.#controls.replaceChildren();
    this.#place.hidden = false;
    this.#where.textContent = whereText(page, sessions);
    const { part, parts } = partOf(page);
    this.#part.textContent = parts > 1 ? fill(gettext("Playing {part} of {parts}"), { part, parts }) : "";
    this.#part.hidden = parts === 1;
    const asked = attention(page);
    this.#trial.dataset.pattern = String(asked?.pattern ?? 0);
    this.#word.textContent = asked?.words.word ?? "";
    this.#attend.textContent = asked?.words.attend ?? "";
    this.#attend.lang = this.#word.lang = asked?.words.language ?? "";
    this.#word.hidden = this.#attend.hidden = !asked;
    this.#progress.max = page.place.of;
    this.#progress.value = page.place.number - 1;
    this.#practice.hidden = page.kind !== "practice";
  }

  /** Button, cross and "heard" take turns in one place. */
  showPhase(phase: Phase, options: { canPlay: boolean; again: boolean; note: string }): void {
    const offersPlay = phase === "loading" || options.canPlay;
    this.play.hidden = !offersPlay;
    this.play.disabled = !options.canPlay;
    this.#playLabel.textContent = options.again ? gettext("Play again") : gettext("Play");
    this.#cross.hidden = phase !== "playing";
    this.#heard.hidden = offersPlay || phase === "playing";
    this.#gate.disabled = phase !== "rate";
    this.note(options.note);
  }

  /** Put a view's own controls where Play stands, until the next page is shown. */
  showControls(controls: Node): void {
    this.#controls.replaceChildren(controls);
    this.#place.hidden = true;
  }

  /** Name what is playing in place of the cross. It is not read aloud, because that would be heard over the sound. */
  nameSound(name: string): void {
    this.#cross.textContent = name;
  }

  /** Beneath the play button; while no page is open, in a place of its own. */
  note(sentence: string): void {
    const isBlank = this.#trial.hidden && !this.workspace.childElementCount;
    const place = isBlank ? this.#waiting : this.#note;
    if (place.textContent !== sentence) place.textContent = sentence;
    if (isBlank) place.hidden = !sentence;
  }

  /** What was waited for has come. */
  noteOver(): void {
    this.#waiting.hidden = true;
  }

  notice(sentence: string): void {
    this.#notice.textContent = sentence;
    this.#notice.hidden = !sentence;
  }

  /** A fresh copy of what the server made for the protocol's own page. */
  markup(): DocumentFragment {
    return need<HTMLTemplateElement>("#protocol-page").content.cloneNode(true) as DocumentFragment;
  }

  /** Every answer is given; what is left is the server's word. */
  showChecking(): void {
    this.#progress.value = this.#progress.max;
    this.show("none");
    this.#checking.hidden = false;
    this.#checking.focus();
  }

  /** Keep keyboard and screen reader where the work is, without putting a ring on any one answer. */
  focus(place: "play" | "player" | "view"): void {
    ({ play: this.play, player: this.#player, view: this.view })[place].focus({ preventScroll: place !== "view" });
  }
}
