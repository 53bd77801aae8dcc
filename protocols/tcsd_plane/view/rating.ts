// Rating page of a recording: puts sound, notes and plane together, keeps every step, and closes the recording.
import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import { coveredSeconds, rangesOf } from "../../../frontend/src/player/heard.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import type { Keys } from "../../../frontend/src/trial/keys.ts";
import { Autosave } from "../../../frontend/src/workspace/autosave.ts";
import { SubmitDialog } from "../../../frontend/src/workspace/submitDialog.ts";
import { AudioPanel, type Summaries } from "./audioPanel.ts";
import { mountBoard } from "./board.ts";
import { type Board, type PlanePage, readDraft, type Token, type Workspace } from "./contract.ts";
import { numberOf, tentativeTokens } from "./crosses.ts";
import { type Day, HourStrip, ZOOM_STEP } from "./day.ts";
import { Comments, HourNotes } from "./hourNotes.ts";
import { shortName } from "./hours.ts";
import { type Heard, Listening } from "./listening.ts";
import { NotesModel } from "./notesModel.ts";
import type { PassageFinder } from "./passages.ts";
import { recallPlace, rememberPlace } from "./placeMemory.ts";
import { ProbePlayer } from "./probes.ts";

const STEPS = ["explore", "hours", "place"] as const;
type Step = (typeof STEPS)[number];

interface Progress {
  heardS: number;
  sources: number;
  hours: [number, number];
  placed: number;
  decided: number;
  summaries: number;
}

/** Guide to the three steps and how far each has come: the step that is open decides whether notes or plane are shown. */
class Guide {
  readonly #root: ParentNode;
  readonly #opened: (step: Step) => void;

  constructor(scope: Scope, root: ParentNode, go: (step: Step) => void, opened: (step: Step) => void) {
    this.#root = root;
    this.#opened = opened;
    for (const step of STEPS) scope.listen(need(`[data-step=${step}]`, root), "click", () => go(step));
  }

  open(step: Step): void {
    for (const each of STEPS) {
      const button = need(`[data-step=${each}]`, this.#root);
      if (each === step) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    need("[data-part=notes-panel]", this.#root).hidden = step === "place";
    need("[data-part=plane-panel]", this.#root).hidden = step !== "place";
    for (const task of ["explore", "hours"]) need(`[data-for=${task}]`, this.#root).hidden = task !== step;
    this.#opened(step);
  }

  show({ heardS, sources, hours, placed, decided, summaries }: Progress): void {
    const minutes = Math.floor(heardS / 60);
    this.#write(
      "explore",
      fill(ngettext("{minutes} min, {sources} source", "{minutes} min, {sources} sources", sources), {
        minutes,
        sources,
      }),
      false,
    );
    this.#write("hours", `${hours[0]}/${hours[1]}`, hours[1] > 0 && hours[0] === hours[1]);
    const open = placed === summaries && decided < summaries;
    const crosses = open ? fill(gettext("{n}/{of} decided"), { n: decided, of: summaries }) : `${placed}/${summaries}`;
    this.#write("place", crosses, decided === summaries);
  }

  #write(step: Step, text: string, done: boolean): void {
    const button = need(`[data-step=${step}]`, this.#root);
    need("[data-count]", button).textContent = text;
    button.classList.toggle("is-done", done);
  }
}

/** What is worth knowing before a recording is closed. */
interface SubmitFacts {
  unheard: Token[];
  hours: number;
  hoursWithoutProbes: string[];
}

interface SubmitCheckParts {
  scope: Scope;
  root: ParentNode;
  tokens: readonly Token[];
  board: Board;
  facts(): SubmitFacts;
  finish(): Promise<void>;
}

const names = (tokens: readonly Token[]) => tokens.map(numberOf).join(", ");

/** Several, and none left out: "all 8" is read sooner than eight numbers. */
const isAll = (some: readonly unknown[], all: number) => all > 1 && some.length === all;

function missingText(missing: readonly Token[], all: number): string {
  if (!missing.length) return "";
  return isAll(missing, all)
    ? gettext("No summary is on the plane yet. You can finish when every summary has its cross.")
    : fill(gettext("Not on the plane yet: {n}. You can finish when every summary has its cross."), {
        n: names(missing),
      });
}

function tentativeText(tentative: readonly Token[], all: number): string {
  if (!tentative.length) return "";
  if (isAll(tentative, all))
    return fill(gettext("All {n} summaries are still tentative. They will be kept where they are."), { n: all });
  return fill(
    ngettext(
      "Summary {n} is still tentative. It will be kept where it is.",
      "Summaries {n} are still tentative. They will be kept where they are.",
      tentative.length,
    ),
    { n: names(tentative) },
  );
}

function unheardText(unheard: readonly Token[], all: number): string {
  if (!unheard.length) return "";
  if (isAll(unheard, all)) return fill(gettext("Not heard yet: all {n} summaries."), { n: all });
  return fill(ngettext("Not heard yet: summary {n}.", "Not heard yet: summaries {n}.", unheard.length), {
    n: names(unheard),
  });
}

function unprobedText(hours: readonly string[], all: number): string {
  if (!hours.length) return "";
  if (isAll(hours, all)) return gettext("No probe heard in any hour.");
  return fill(ngettext("No probe heard in hour {hours}.", "No probe heard in hours {hours}.", hours.length), {
    hours: hours.join(", "),
  });
}

/** Check before a recording is closed: shows what was not heard or is tentative; only missing crosses forbid it. */
class SubmitCheck {
  readonly #parts: SubmitCheckParts;

  constructor(parts: SubmitCheckParts) {
    this.#parts = parts;
    const { scope, root, board, finish } = parts;
    const decideAndFinish = () => {
      board.decideAll();
      return finish();
    };
    new SubmitDialog(scope, root, { tell: (dialog) => this.#tell(dialog), finish: decideAndFinish });
  }

  #tell(dialog: SubmitDialog): void {
    const { tokens, board, facts } = this.#parts;
    const missing = tokens.filter((token) => !board.crosses[token]);
    const tentative = tentativeTokens(board.crosses);
    const { unheard, hours, hoursWithoutProbes } = facts();
    const all = tokens.length;
    dialog.say({
      missing: missingText(missing, all),
      tentative: tentativeText(tentative, all),
      unheard: unheardText(unheard, all),
      unprobed: unprobedText(hoursWithoutProbes, hours),
    });
    dialog.go.hidden = missing.length > 0;
    dialog.go.textContent = tentative.length ? gettext("Decide all and finish") : gettext("Finish");
  }
}

/** Which of the two players Space and zoom are about: the one that was touched last. */
export type Player = "full" | "summary";

interface KeyParts {
  scope: Scope;
  keys: Keys;
  /** Everything that shows the full recording; arrows and pages mean time only in there. */
  fullPanel: HTMLElement;
  day: Day;
  strip: HourStrip;
  summaries: Summaries;
  passages: PassageFinder | null;
  active(): Player;
  nextProbe(): void;
  playProbes(): void;
  focusNote(): void;
  openCriteria(): void;
}

const STEP_S = 10;
const STRIDE_S = 60; // with Shift

type Acts = Record<string, () => void>;

/** The keys of the workspace that are not the plane's own: which sound, which hour, which place. */
export function wireKeys(parts: KeyParts): void {
  const { keys, scope, fullPanel } = parts;
  const acts = anywhere(parts);
  keys.on(scope, (event) => {
    if (event.defaultPrevented) return false;
    const within = (panel: HTMLElement) => event.target instanceof Node && panel.contains(event.target);
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const own = within(fullPanel)
      ? inTime(parts, event.shiftKey)
      : within(parts.summaries.panel)
        ? inSummary(parts, event.shiftKey)
        : {};
    const act = own[key] ?? acts[key];
    act?.();
    return act !== undefined;
  });
}

function anywhere({ day, strip, summaries, passages, active, ...parts }: KeyParts): Acts {
  const zoom = (factor: number) => {
    if (active() === "full") day.viewer.zoom(factor);
    else summaries.viewer?.zoom(factor);
  };
  const fit = () => {
    const { viewer } = summaries;
    if (active() === "full") day.fit();
    else if (viewer?.manifest) viewer.show({ start: 0, stop: viewer.manifest.length_samples });
  };
  const toggle = () => {
    if (active() === "summary") summaries.toggle();
    else if (day.viewer.playing) day.viewer.stop();
    else day.viewer.play();
  };
  return {
    " ": toggle,
    j: () => summaries.step(-1),
    l: () => summaries.step(1),
    o: () => summaries.toggleLoop(),
    b: parts.playProbes,
    r: parts.nextProbe,
    "+": () => zoom(ZOOM_STEP),
    "=": () => zoom(ZOOM_STEP),
    "-": () => zoom(1 / ZOOM_STEP),
    e: fit,
    d: () => strip.focus(),
    h: () => parts.fullPanel.querySelector<HTMLElement>(".viewer__stage")?.focus(),
    n: parts.focusNote,
    c: parts.openCriteria,
    ...(passages && { f: () => passages.find() }),
  };
}

function inTime({ day }: KeyParts, shift: boolean): Acts {
  const seconds = shift ? STRIDE_S : STEP_S;
  return {
    ArrowLeft: () => day.moveBy(-seconds),
    ArrowRight: () => day.moveBy(seconds),
    PageUp: () => day.step(-1),
    PageDown: () => day.step(1),
  };
}

function inSummary({ summaries }: KeyParts, shift: boolean): Acts {
  const move = (seconds: number) => () => (shift ? summaries.extend(seconds) : summaries.moveBy(seconds));
  return { ArrowLeft: move(-1), ArrowRight: move(1) };
}

/** The page on which a recording is rated: puts sound, notes and plane together, and keeps every step. */
export class Rating {
  readonly #root: HTMLElement;
  readonly #host: WorkspaceHost;
  readonly #autosave: Autosave;
  readonly #listening: Listening;
  readonly #notes: NotesModel;
  readonly #sound: AudioPanel;
  readonly #strip: HourStrip;
  readonly #probePlayer: ProbePlayer;
  readonly #hourNotes: HourNotes;
  readonly #comments: Comments;
  readonly #board: Board;
  readonly #guide: Guide;

  constructor(root: HTMLElement, page: ShownPage, host: WorkspaceHost, scope: Scope) {
    this.#root = root;
    this.#host = host;
    const draft = readDraft(page.draft);
    const { probes: planned, others } = page.page as unknown as PlanePage;
    const left = recallPlace(page.trial);
    this.#autosave = new Autosave(scope, host, () => host.keep(this.#payload(false), this.#listening.summary));
    this.#listening = new Listening(draft.listened ?? {}, (what) => this.#heard(what));
    this.#notes = new NotesModel(draft, () => this.#noted());
    const chosen = (token: Token) => this.#board.select(token);
    this.#sound = new AudioPanel({ scope, root, page, host, listening: this.#listening, hour: left.hour, chosen });
    const { day, tokens, summaries } = this.#sound;
    this.#probePlayer = new ProbePlayer({
      scope,
      root,
      day,
      listening: this.#listening,
      planned,
      own: draft.probes ?? [],
      changed: (byHand) => this.#probesMoved(byHand),
    });
    this.#strip = new HourStrip(scope, root, day, (hour) => this.#marksOf(hour));
    const probes = (hour: number) => this.#probePlayer.heardIn(hour);
    this.#hourNotes = new HourNotes({ scope, root, day, notes: this.#notes, probes });
    this.#comments = new Comments(scope, root, tokens, draft, () => this.#autosave.soon("text"));
    const options = {
      tokens,
      crosses: draft.crosses ?? {},
      memory: page.trial,
      alone: others === "after_placing",
      heard: (token: Token) => this.#listening.plays(token) > 0,
      reveal: () => this.#guide.open("place"),
      play: (token: Token) => summaries.play(token),
      changed: () => this.#moved(),
    };
    this.#board = mountBoard(need("[data-part=board]", root), options, page.keys, scope);
    this.#board.select(summaries.token);
    const remember = (step: Step) => rememberPlace(page.trial, { step });
    this.#guide = new Guide(scope, root, (step) => this.#go(step), remember);
    const begun = Object.keys(this.#board.crosses).length > 0;
    this.#guide.open(STEPS.find((step) => step === left.step) ?? (begun ? "place" : "explore"));
    scope.listen(day.events, "hour", () => rememberPlace(page.trial, { hour: day.hour?.index ?? 0 }));
    this.#wire(scope, page);
    scope.listen(day.events, "hours", () => {
      this.#showHeard();
      this.#showProgress();
    });
    this.#showProgress();
  }

  #wire(scope: Scope, { keys }: ShownPage): void {
    const { day, summaries, passages, fullPanel, tokens } = this.#sound;
    wireKeys({
      scope,
      keys,
      fullPanel,
      day,
      strip: this.#strip,
      summaries,
      passages,
      active: () => this.#sound.active,
      nextProbe: () => void this.#probePlayer.next(),
      playProbes: () => void this.#probePlayer.playRow(),
      focusNote: () => this.#go("hours"),
      openCriteria: () => need<HTMLDialogElement>("[data-part=criteria]", this.#root).showModal(),
    });
    keys.onStop(scope, () => this.#probePlayer.stop());
    this.#host.resumeAt(() => this.#resume());
    const finish = () => this.#finish();
    const board = this.#board;
    new SubmitCheck({ scope, root: this.#root, tokens, board, facts: () => this.#facts(), finish });
  }

  #facts() {
    const { tokens, day } = this.#sound;
    const bare = day.hours.filter(({ index }) => this.#probePlayer.heardIn(index) === 0);
    return {
      unheard: tokens.filter((token) => this.#listening.plays(token) === 0),
      hours: day.hours.length,
      hoursWithoutProbes: bare.map(shortName),
    };
  }

  async #finish(): Promise<void> {
    this.#sound.stop();
    this.#autosave.drop();
    await this.#host.finish(this.#payload(true), this.#listening.summary);
  }

  #payload(finished: boolean): Json {
    const { sources, hours } = this.#notes;
    const workspace: Workspace = {
      crosses: this.#board.crosses,
      moves: this.#board.takeMoves(),
      sources: [...sources],
      hours,
      probes: [...this.#probePlayer.own],
      ...this.#comments.written,
      listened: this.#listening.kept,
      finished,
    };
    return workspace as unknown as Json;
  }

  #go(step: Step): void {
    this.#guide.open(step);
    if (step === "explore") this.#strip.focus();
    else if (step === "hours") this.#hourNotes.focusNote();
    else this.#board.focus();
  }

  /** Where Space plays: on the plane while it is shown, else on the picture. */
  #resume(): void {
    const plane = need(".board__plane", this.#root);
    if (plane.checkVisibility({ visibilityProperty: true })) plane.focus({ preventScroll: true });
    else this.#sound.focus();
  }

  #marksOf(hour: number) {
    return { noted: this.#notes.isNoted(hour), probes: this.#probePlayer.heardIn(hour) };
  }

  #moved(): void {
    const { summaries } = this.#sound;
    const { selected } = this.#board;
    if (selected !== null && selected !== summaries.token) {
      summaries.select(selected);
      this.#sound.prefetch.prefer(selected);
      this.#sound.activate("summary");
    }
    this.#autosave.soon("act");
    this.#showProgress();
  }

  #noted(): void {
    this.#autosave.soon("text");
    this.#hourNotes.draw();
    this.#strip.draw();
    this.#showProgress();
  }

  /** Only what it concerns is drawn anew: a row that is replaced under a finger would lose its click. */
  #heard(what: Heard): void {
    this.#autosave.soon("heard");
    if (what === "seconds") this.#showHeard();
    else if (what === "play") for (const part of [this.#sound.summaries, this.#board]) part.draw();
    else for (const part of [this.#probePlayer, this.#hourNotes, this.#strip]) part.draw();
    this.#showProgress();
  }

  #probesMoved(byHand: boolean): void {
    if (byHand) this.#autosave.soon("act");
    this.#sound.prefetch.setProbes(this.#probePlayer.byNeed);
  }

  #showHeard(): void {
    const { day } = this.#sound;
    day.viewer.setHeard(rangesOf(this.#listening.full, day.rateHz));
  }

  #showProgress(): void {
    const { hours } = this.#sound.day;
    const { tokens } = this.#sound;
    const { crosses } = this.#board;
    const placed = Object.keys(crosses).length;
    this.#guide.show({
      heardS: coveredSeconds(this.#listening.full),
      sources: this.#notes.sources.length,
      hours: [this.#notes.hours.length, hours.length],
      placed,
      decided: placed - tentativeTokens(crosses).length,
      summaries: tokens.length,
    });
  }
}
