// The page on which a recording is rated: puts sound, notes and plane together, and keeps every step.
import { need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { heardSeconds, rangesOf } from "../../../frontend/src/workspace/heard.ts";
import { Keeping } from "../../../frontend/src/workspace/keeping.ts";
import { mountBoard } from "./board.ts";
import { Closing } from "./closing.ts";
import { Comments } from "./comments.ts";
import { type Board, type PlanePage, readDraft, type Token, type Workspace } from "./contract.ts";
import { Guide, type Step } from "./guide.ts";
import { shortName } from "./hours.ts";
import { type Heard, Listening } from "./listening.ts";
import { Notebook } from "./notebook.ts";
import { HourPad } from "./pad.ts";
import { wireKeys } from "./pagekeys.ts";
import { Probing } from "./probing.ts";
import { SoundSide } from "./soundside.ts";
import { SourceList } from "./sources.ts";
import { HourStrip } from "./strip.ts";
import type { PlaneTexts } from "./texts.ts";

export class Rating {
  readonly #root: HTMLElement;
  readonly #host: WorkspaceHost;
  readonly #keeping: Keeping;
  readonly #listening: Listening;
  readonly #notebook: Notebook;
  readonly #sound: SoundSide;
  readonly #strip: HourStrip;
  readonly #probing: Probing;
  readonly #pad: HourPad;
  readonly #sources: SourceList;
  readonly #comments: Comments;
  readonly #board: Board;
  readonly #guide: Guide;

  constructor(root: HTMLElement, page: ShownPage, host: WorkspaceHost, texts: PlaneTexts, scope: Scope) {
    this.#root = root;
    this.#host = host;
    const draft = readDraft(page.draft);
    const { probes: planned } = page.page as unknown as PlanePage;
    this.#keeping = new Keeping(scope, host, () => host.keep(this.#payload(false), this.#listening.summary));
    this.#listening = new Listening(draft.listened ?? {}, (what) => this.#heard(what));
    this.#notebook = new Notebook(draft, () => this.#noted());
    const chosen = (token: Token) => this.#board.select(token);
    this.#sound = new SoundSide({ scope, root, page, host, texts, listening: this.#listening, chosen });
    const { day, tokens, summaries } = this.#sound;
    this.#probing = new Probing({
      scope,
      root,
      day,
      texts,
      listening: this.#listening,
      planned,
      own: draft.probes ?? [],
      changed: (byHand) => this.#probesMoved(byHand),
    });
    this.#strip = new HourStrip(scope, root, day, texts, (hour) => this.#marksOf(hour));
    const probes = (hour: number) => this.#probing.heardIn(hour);
    this.#pad = new HourPad({ scope, root, day, notebook: this.#notebook, texts, probes });
    this.#sources = new SourceList(scope, root, this.#notebook, texts);
    this.#comments = new Comments(scope, root, tokens, texts, draft, () => this.#keeping.soon("text"));
    const options = {
      tokens,
      crosses: draft.crosses ?? {},
      memory: page.trial,
      play: (token: Token) => summaries.play(token),
      changed: () => this.#moved(),
    };
    this.#board = mountBoard(need("[data-part=board]", root), options, page.keys, scope);
    this.#board.select(summaries.token);
    this.#guide = new Guide(scope, root, texts, (step) => this.#go(step));
    this.#wire(scope, page, texts);
    scope.listen(day.events, "hours", () => {
      this.#showHeard();
      this.#showProgress();
    });
    this.#showProgress();
  }

  #wire(scope: Scope, { keys }: ShownPage, texts: PlaneTexts): void {
    const { day, summaries, fullPanel, tokens } = this.#sound;
    wireKeys({
      scope,
      keys,
      fullPanel,
      day,
      strip: this.#strip,
      summaries,
      active: () => this.#sound.active,
      nextProbe: () => void this.#probing.next(),
      playProbes: () => void this.#probing.playRow(),
      focusNote: () => this.#pad.focusNote(),
      openCriteria: () => need<HTMLDialogElement>("[data-part=criteria]", this.#root).showModal(),
    });
    keys.onStop(scope, () => this.#probing.stop());
    const finish = () => this.#finish();
    const board = this.#board;
    new Closing({ scope, root: this.#root, texts, tokens, board, facts: () => this.#facts(), finish });
  }

  #facts() {
    const { tokens, day } = this.#sound;
    const bare = day.hours.filter(({ index }) => this.#probing.heardIn(index) === 0);
    return {
      unheard: tokens.filter((token) => this.#listening.plays(token) === 0),
      hoursWithoutProbes: bare.map(shortName),
    };
  }

  async #finish(): Promise<void> {
    this.#sound.stop();
    this.#keeping.drop();
    await this.#host.finish(this.#payload(true), this.#listening.summary);
  }

  #payload(finished: boolean): Json {
    const { sources, hours } = this.#notebook;
    const workspace: Workspace = {
      crosses: this.#board.crosses,
      moves: this.#board.takeMoves(),
      sources: [...sources],
      hours,
      probes: [...this.#probing.own],
      ...this.#comments.written,
      listened: this.#listening.kept,
      finished,
    };
    return workspace as unknown as Json;
  }

  #go(step: Step): void {
    if (step === "explore") this.#strip.focus();
    else if (step === "hours") this.#pad.focusNote();
    else need(".board__plane", this.#root).focus();
  }

  #marksOf(hour: number) {
    return { noted: this.#notebook.isNoted(hour), probes: this.#probing.heardIn(hour) };
  }

  #moved(): void {
    const { summaries } = this.#sound;
    const { selected } = this.#board;
    if (selected !== null && selected !== summaries.token) {
      summaries.select(selected);
      this.#sound.activate("summary");
    }
    this.#keeping.soon("act");
    this.#showProgress();
  }

  #noted(): void {
    this.#keeping.soon("text");
    this.#sources.draw();
    this.#pad.draw();
    this.#strip.draw();
    this.#showProgress();
  }

  /** Only what it concerns is drawn anew: a row that is replaced under a finger would lose its click. */
  #heard(what: Heard): void {
    this.#keeping.soon("heard");
    if (what === "seconds") this.#showHeard();
    else if (what === "play") this.#sound.summaries.draw();
    else for (const part of [this.#probing, this.#pad, this.#strip]) part.draw();
    this.#showProgress();
  }

  #probesMoved(byHand: boolean): void {
    if (byHand) this.#keeping.soon("act");
    this.#sound.pack.setProbes(this.#probing.byNeed);
  }

  #showHeard(): void {
    const { day } = this.#sound;
    day.viewer.setHeard(rangesOf(this.#listening.full, day.rateHz));
  }

  #showProgress(): void {
    const { hours } = this.#sound.day;
    const { tokens } = this.#sound;
    this.#guide.show({
      heardS: heardSeconds(this.#listening.full),
      sources: this.#notebook.sources.length,
      hours: [this.#notebook.hours.length, hours.length],
      placed: [Object.keys(this.#board.crosses).length, tokens.length],
    });
  }
}
