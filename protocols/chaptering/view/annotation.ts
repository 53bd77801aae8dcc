// Annotation page of a recording: puts picture, list and keys together, keeps every step, and closes the recording.
import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json, Listened } from "../../../frontend/src/outbox/events.ts";
import { coveredSeconds, type Interval, rangesOf, withHeard } from "../../../frontend/src/player/heard.ts";
import type { PlayerNews } from "../../../frontend/src/player/slicePlayer.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import type { Viewer } from "../../../frontend/src/viewer/viewer.ts";
import { Autosave } from "../../../frontend/src/workspace/autosave.ts";
import { SubmitDialog } from "../../../frontend/src/workspace/submitDialog.ts";
import { type ChaptersPage, type Payload, readDraft } from "./contract.ts";
import { type KeyActs, wireKeys, wireToolbar } from "./controls.ts";
import {
  boundariesOf,
  type Division,
  divisionOf,
  Editing,
  indexOf,
  OPENING,
  type Outcome,
  type Said,
  untitled,
} from "./division.ts";
import { ChapterList } from "./lists.ts";
import { Picture } from "./picture.ts";

interface SubmitFacts {
  division: Division;
  heardS: number;
  durationS: number;
}

interface SubmitCheckParts {
  scope: Scope;
  root: ParentNode;
  titles: "none" | "wanted" | "needed";
  facts(): SubmitFacts;
  finish(): Promise<void>;
}

/** Check before a recording is closed: shows what was marked, not heard or not named; only required titles forbid it. */
class SubmitCheck {
  readonly #parts: SubmitCheckParts;

  constructor(parts: SubmitCheckParts) {
    this.#parts = parts;
    const { scope, root, finish } = parts;
    new SubmitDialog(scope, root, { tell: (dialog) => this.#tell(dialog), finish });
  }

  #tell(dialog: SubmitDialog): void {
    const { titles, facts } = this.#parts;
    const { division, heardS, durationS } = facts();
    const count = division.marks.length + 1;
    const bare = titles === "none" ? [] : untitled(division);
    const forbidden = titles === "needed" && bare.length > 0;
    const without = fill(ngettext("No title yet: chapter {n}.", "No title yet: chapters {n}.", bare.length), {
      n: bare.join(", "),
    });
    dialog.say({
      count: fill(
        count === 1
          ? gettext("No marks: the whole recording is one chapter.")
          : gettext("You have marked {n} chapters."),
        { n: count },
      ),
      heard: fill(gettext("You have heard {heard} of {total}."), {
        heard: formatTime(heardS),
        total: formatTime(durationS),
      }),
      untitled: bare.length && !forbidden ? without : "",
      needed: forbidden ? `${gettext("Every chapter needs a title.")} ${without}` : "",
    });
    dialog.go.hidden = forbidden;
  }
}

const TICK_MS = 1000;

/** Record of what was heard of the recording, by the audio clock: which seconds, and how often Play was pressed. */
class Listening {
  readonly #viewer: Viewer;
  readonly #changed: () => void;
  #full: Interval[];
  #plays: number;
  #heardS: number;
  #reached = 0;

  constructor(
    scope: Scope,
    viewer: Viewer,
    { full = [], plays = 0 }: Partial<Payload["listened"]>,
    changed: () => void,
  ) {
    this.#viewer = viewer;
    this.#changed = changed;
    this.#full = full.map(([from, to]) => [from, to]);
    this.#plays = plays;
    this.#heardS = coveredSeconds(this.#full);
    this.#follow(scope);
  }

  get kept(): Payload["listened"] {
    return { full: this.#full, plays: this.#plays };
  }

  get summary(): Listened {
    return { plays: this.#plays, heard_ms: Math.round(this.#heardS * 1000) };
  }

  /** How much of the recording was heard at least once. */
  get coveredS(): number {
    return coveredSeconds(this.#full);
  }

  #follow(scope: Scope): void {
    const { events } = this.#viewer;
    let sounding: Scope | null = null;
    scope.listen(events, "ready", () => this.#show());
    scope.listen<CustomEvent<PlayerNews>>(events, "start", ({ detail }) => {
      if (!sounding) this.#plays += 1;
      sounding?.dispose();
      sounding = scope.child();
      this.#reached = detail.sample;
      sounding.every(TICK_MS, () => this.#reach(this.#viewer.position));
    });
    scope.listen<CustomEvent<PlayerNews>>(events, "stop", ({ detail }) => {
      if (!sounding) return;
      sounding.dispose();
      sounding = null;
      this.#reach(detail.sample);
    });
  }

  #reach(sample: number): void {
    const rateHz = this.#viewer.manifest?.sample_rate_hz ?? 1;
    if (sample > this.#reached) {
      const [fromS, toS] = [this.#reached / rateHz, sample / rateHz];
      this.#heardS += toS - fromS;
      this.#full = withHeard(this.#full, fromS, toS);
      this.#show();
      this.#changed();
    }
    this.#reached = sample;
  }

  #show(): void {
    this.#viewer.setHeard(rangesOf(this.#full, this.#viewer.manifest?.sample_rate_hz ?? 1));
  }
}

function sentenceOf(says: Said): string {
  return {
    marked: gettext("Chapter {n} begins at {time}."),
    moved: gettext("Chapter {n} now begins at {time}."),
    removed: gettext("Mark at {time} removed."),
    chosen_is: gettext("Chapter {n}, {time}"),
    chosen_none: gettext("Select a mark first."),
    taken: gettext("There is already a mark here."),
    no_place: gettext("A chapter cannot begin at the very start or end. Move the cursor first."),
    none_before: gettext("There is no earlier mark."),
    none_after: gettext("There is no later mark."),
    undone: gettext("Undone."),
    redone: gettext("Redone."),
  }[says];
}

const LEAD_S = 2; // a boundary is judged by what comes before it

/** The page on which a recording is divided: puts picture, list and keys together, and keeps every step. */
export class Annotation {
  readonly #host: WorkspaceHost;
  readonly #editing: Editing;
  readonly #picture: Picture;
  readonly #list: ChapterList;
  readonly #listening: Listening;
  readonly #autosave: Autosave;
  readonly #status: HTMLElement;
  readonly #showTools: (editing: Editing) => void;

  constructor(root: HTMLElement, page: ShownPage, host: WorkspaceHost, scope: Scope) {
    const draft = readDraft(page.draft);
    const { titles, titles_needed } = page.page as unknown as ChaptersPage;
    const durationS = () => this.#picture.durationS;
    this.#host = host;
    this.#status = need("[data-part=status]", root);
    this.#editing = new Editing(divisionOf(draft), durationS);
    this.#autosave = new Autosave(scope, host, () => host.keep(this.#payload(false), this.#listening.summary));
    this.#picture = this.#mountPicture(root, page, scope);
    const heard = () => this.#autosave.soon("heard");
    this.#listening = new Listening(scope, this.#picture.viewer, draft.listened ?? {}, heard);
    this.#list = this.#mountList(root, titles, scope);
    const acts = this.#acts(titles);
    wireKeys(scope, page.keys, acts);
    page.keys.onStop(scope, () => this.#stop());
    host.resumeAt(() => this.#picture.focus());
    this.#showTools = wireToolbar({ scope, root, acts, picture: this.#picture });
    new SubmitCheck({
      scope,
      root,
      titles: titles_needed ? "needed" : titles ? "wanted" : "none",
      facts: () => ({
        division: this.#editing.division,
        heardS: this.#listening.coveredS,
        durationS: durationS(),
      }),
      finish: () => this.#finish(),
    });
    this.#show();
  }

  /** Go to a moment that was found elsewhere, such as in the transcript. */
  goTo(seconds: number): void {
    this.#choose(null);
    this.#picture.goTo(seconds);
  }

  #mountPicture(root: HTMLElement, page: ShownPage, scope: Scope): Picture {
    return new Picture({
      scope,
      root,
      base: page.media.full?.url ?? "",
      renew: () => this.#host.renew().then((media) => media.full?.url ?? ""),
      acts: {
        choose: (id) => this.#chooseInPicture(id),
        move: (id, seconds) => this.#moved(this.#editing.moveTo(id, seconds)),
        remove: (id) => this.#did(this.#editing.remove(id)),
        pick: () => this.#choose(null),
        ready: () => this.#show(),
      },
    });
  }

  #mountList(root: HTMLElement, withTitles: boolean, scope: Scope): ChapterList {
    const acts = {
      choose: (id: string) => this.#choose(id),
      retitle: (id: string, title: string) => this.#retitle(id, title),
      rest: () => this.#editing.rest(),
      moveTo: (id: string, seconds: number) => this.#moved(this.#editing.moveTo(id, seconds)),
      hear: (id: string) => this.#hear(id),
      remove: (id: string) => this.#did(this.#editing.remove(id)),
      leave: () => this.#picture.focus(),
    };
    const durationS = () => this.#picture.durationS;
    return new ChapterList({ scope, root, withTitles, durationS, acts });
  }

  #acts(titles: boolean): KeyActs {
    const picture = this.#picture;
    const editing = this.#editing;
    return {
      mark: () => {
        if (picture.viewer.manifest) this.#did(editing.addAt(picture.positionS));
        else this.#say(gettext("The recording is still loading."));
      },
      step: (way) => this.#step(way),
      nudge: (seconds, held) => this.#nudge(seconds, held),
      moveHere: () => this.#did(editing.moveHere(picture.positionS)),
      title: () => titles && this.#list.focusTitle(editing.chosen ?? OPENING),
      remove: () => this.#did(editing.remove(editing.chosen)),
      play: () => this.#play(),
      playHere: () => picture.toggle(),
      moveBy: (seconds) => picture.moveBy(seconds),
      turnPage: (way) => picture.turnPage(way),
      goToEnd: (way) => picture.goTo(way < 0 ? 0 : picture.durationS),
      zoom: (factor) => picture.viewer.zoom(factor),
      showAll: () => picture.showAll(),
      undo: () => this.#did(editing.undo(), gettext("There is nothing to undo.")),
      redo: () => this.#did(editing.redo(), gettext("There is nothing to redo.")),
      explain: () => this.#say(sentenceOf("chosen_none")),
    };
  }

  #step(way: -1 | 1): void {
    const outcome = this.#editing.step(this.#picture.positionS, way);
    if (outcome.says === "chosen_is") this.#picture.goTo(outcome.atS);
    this.#did(outcome);
  }

  #nudge(seconds: number, held: boolean): void {
    const { mark } = this.#editing;
    if (mark) this.#moved(this.#editing.moveTo(mark.id, mark.atS + seconds, held));
    else this.#picture.moveBy(seconds);
  }

  #retitle(id: string, title: string): void {
    this.#editing.retitle(id, title);
    this.#autosave.soon("text");
    this.#show();
  }

  #choose(id: string | null): void {
    if (id === this.#editing.chosen) return;
    this.#editing.choose(id);
    this.#say(""); // what was said was about another mark
    const { mark } = this.#editing;
    if (mark) this.#picture.bring(mark.atS);
    this.#show();
  }

  /** A mark was clicked in the picture; a second time means its title. */
  #chooseInPicture(id: string): void {
    if (id === this.#editing.chosen) {
      this.#list.focusTitle(id);
      return;
    }
    this.#choose(id);
    this.#picture.focus();
  }

  /** Space stops what sounds; else it plays from before the chosen mark, or from the cursor where none is chosen. */
  #play(): void {
    const { viewer } = this.#picture;
    const { mark } = this.#editing;
    if (viewer.playing) viewer.stop();
    else if (mark) this.#hear(mark.id);
    else viewer.play();
  }

  #hear(id: string): void {
    const { division } = this.#editing;
    const mark = division.marks[indexOf(division, id)];
    this.#picture.play(Math.max((mark?.atS ?? 0) - LEAD_S, 0));
  }

  #stop(): void {
    this.#picture.viewer.stop();
    if (!document.querySelector("dialog[open]")) this.#choose(null);
  }

  /** The cursor goes with a mark that was moved. */
  #moved(outcome: Outcome): void {
    this.#picture.follow(outcome.atS);
    this.#did(outcome);
  }

  /** Say what happened, or why nothing did. */
  #did(outcome: Outcome | null, otherwise = ""): void {
    if (!outcome) {
      this.#say(otherwise);
      return;
    }
    if (outcome.changed) this.#autosave.soon("act");
    this.#show();
    this.#say(fill(sentenceOf(outcome.says), { n: outcome.n, time: formatTime(outcome.atS, 1) }));
  }

  #show(): void {
    const { division, chosen } = this.#editing;
    this.#picture.draw(division, chosen);
    this.#list.show(division, chosen);
    this.#showTools(this.#editing);
  }

  #say(sentence: string): void {
    this.#status.textContent = sentence;
  }

  async #finish(): Promise<void> {
    this.#picture.viewer.stop();
    this.#autosave.drop();
    await this.#host.finish(this.#payload(true), this.#listening.summary);
  }

  #payload(finished: boolean): Json {
    const { division } = this.#editing;
    const { opening } = division;
    const payload: Payload = { boundaries: boundariesOf(division), opening, listened: this.#listening.kept, finished };
    return payload as unknown as Json;
  }
}
