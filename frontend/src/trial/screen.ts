// Elements of the visit's page and what each phase shows. Nothing here decides anything.
import { need } from "../lib/dom.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { SessionSummary, TrialPage, VisitProgress } from "./contract.ts";
import { attention, partOf, whereText } from "./place.ts";

export type Phase = "loading" | "ready" | "playing" | "rate" | "saving";

export class Screen {
  readonly instructions = need("#instructions");
  readonly start = need<HTMLButtonElement>("#start");
  readonly startWhy = need("#start-why");
  readonly play = need<HTMLButtonElement>("#play");
  readonly next = need<HTMLButtonElement>("#next");
  readonly view = need("#view");
  readonly workspace = need("#workspace");
  readonly pause = need<HTMLButtonElement>("#pause");
  readonly problem = need<HTMLButtonElement>("#problem");
  readonly previous = need<HTMLButtonElement>("#previous");
  readonly #trial = need("#trial");
  readonly #player = need("#player");
  readonly #place = need("#play-place");
  readonly #controls = need("#controls");
  readonly #listening = need("#listening");
  readonly #soundName = need("#sound-name");
  readonly #heard = need("#heard");
  readonly #playLabel = need("#play-label");
  readonly #note = need("#play-note");
  readonly #nextReason = need("#next-reason");
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
  #missing = ""; // what Next waits for

  /** Show one part of the visit and hide the others. */
  show(place: "instructions" | "trial" | "workspace" | "none"): void {
    this.instructions.hidden = place !== "instructions";
    this.#trial.hidden = place !== "trial";
    this.workspace.hidden = place !== "workspace";
    if (place !== "none") this.noteOver();
    document.body.toggleAttribute("data-workspace", place === "workspace");
    if (place === "workspace") window.scrollTo({ top: 0 }); // not where the page before was left
  }

  /** Show the instructions; to a participant who comes back, how far they are, with the instructions folded. */
  showInstructions({ answered, begun }: VisitProgress, answeredOf: string): void {
    if (begun) {
      need("h1", this.instructions).textContent = answered
        ? answeredOf.replace("{answered}", String(answered))
        : gettext("Your work so far is saved.");
      this.start.textContent = gettext("Continue");
      const folded = need("#instructions-folded");
      folded.append(need("#instructions-text"));
      folded.hidden = false;
    }
    this.show("instructions");
  }

  focusInstructions(): void {
    need("h1", this.instructions).focus();
  }

  showTrial(page: TrialPage, sessions: readonly SessionSummary[]): void {
    this.show("trial");
    this.view.replaceChildren();
    this.nameSound(page.options.fixation_cross === true ? "" : gettext("Listening…"));
    this.offerPrevious(false);
    this.offerProblem(false);
    this.#controls.replaceChildren();
    this.#place.hidden = false;
    this.#where.textContent = whereText(page, sessions);
    const { part, parts } = partOf(page);
    this.#part.textContent = parts > 1 ? fill(gettext("Listen {part} of {parts}"), { part, parts }) : "";
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

  /** Button, listening sign and "heard" take turns in one place. */
  showPhase(phase: Phase, options: { canPlay: boolean; again: boolean; note: string }): void {
    const offersPlay = phase === "loading" || options.canPlay;
    this.play.hidden = !offersPlay;
    this.play.disabled = !options.canPlay;
    this.play.setAttribute("aria-busy", String(phase === "loading"));
    this.#playLabel.textContent =
      phase === "loading" ? gettext("Loading…") : options.again ? gettext("Play again") : gettext("Play");
    this.#listening.hidden = phase !== "playing";
    this.#heard.hidden = offersPlay || phase === "playing";
    this.#gate.disabled = phase !== "rate";
    this.note(options.note);
  }

  /** Put a view's own controls where Play stands, until the next page is shown. */
  showControls(controls: Node): void {
    this.#controls.replaceChildren(controls);
    this.#place.hidden = true;
  }

  /** Say beside the loudspeaker what is playing; without a name a cross takes its place. Neither is read aloud, because
   * that would be heard over the sound. */
  nameSound(name: string): void {
    this.#soundName.textContent = name;
    this.#listening.classList.toggle("play__listening--cross", !name);
  }

  /** Let Next be pressed, or give the sentence that says what is missing, which a press on Next then shows. */
  offerNext(missing: string): void {
    this.next.setAttribute("aria-disabled", String(missing !== ""));
    if (missing !== this.#missing) this.#nextReason.textContent = "";
    this.#missing = missing;
  }

  /** Next was pressed too early: say beside it what is missing. */
  explainNext(): void {
    this.#nextReason.textContent = this.#missing;
    this.#nextReason.scrollIntoView({ block: "nearest" });
  }

  /** The answer before this one can be opened again, until sound is played here. */
  offerPrevious(offered: boolean): void {
    this.previous.hidden = !offered;
  }

  /** A clip that was played, or that does not arrive, can be reported. */
  offerProblem(offered: boolean): void {
    this.problem.hidden = !offered;
  }

  /** Beneath the play button; while no page is open, in a place of its own. */
  note(sentence: string): void {
    const isBlank = this.#trial.hidden && !this.workspace.childElementCount;
    const place = isBlank ? this.#waiting : this.#note;
    if (isBlank) place.hidden = !sentence; // before it is written, because a live region that is hidden says nothing
    if (place.textContent !== sentence) place.textContent = sentence;
    this.#note.classList.remove("reason");
  }

  /** Something closed was pressed: say why it is closed, above the form. */
  explain(sentence: string): void {
    this.note(sentence);
    this.#note.classList.add("reason");
    this.#note.scrollIntoView({ block: "nearest" });
  }

  /** What was waited for has come. */
  noteOver(): void {
    this.#waiting.hidden = true;
  }

  notice(sentence: string): void {
    this.#notice.textContent = sentence;
    this.#notice.hidden = !sentence;
    if (sentence) this.#notice.scrollIntoView({ block: "nearest" });
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
    need("h1", this.#checking).focus();
  }

  /** A view that has put the focus nowhere begins at its heading. */
  focusWorkspace(): void {
    if (this.workspace.hidden || this.workspace.contains(document.activeElement)) return;
    const headings = [...this.workspace.querySelectorAll("h1")];
    headings.find((heading) => heading.checkVisibility())?.focus({ preventScroll: true });
  }

  /** Put the focus back where the work is after a dialog over a trial, so that Space plays. */
  resume(): void {
    if (this.#trial.hidden) return;
    const canPlay = this.play.checkVisibility() && !this.play.disabled;
    this.focus(!this.#gate.disabled ? "view" : canPlay ? "play" : "player");
  }

  /** Keep keyboard and screen reader where the work is, without putting a ring on any one answer. */
  focus(place: "play" | "player" | "view"): void {
    ({ play: this.play, player: this.#player, view: this.view })[place].focus({ preventScroll: place !== "view" });
  }
}
