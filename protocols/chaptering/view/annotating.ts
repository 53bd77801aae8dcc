// The page on which a recording is divided: puts picture, list and keys together, and keeps every step.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { readTexts } from "../../../frontend/src/viewer/texts.ts";
import { formatTime } from "../../../frontend/src/viewer/times.ts";
import { Keeping } from "../../../frontend/src/workspace/keeping.ts";
import { Closing } from "./closing.ts";
import { type ChaptersPage, type Payload, readDraft } from "./contract.ts";
import { boundariesOf, divisionOf, indexOf, OPENING } from "./division.ts";
import { Editing, type Outcome } from "./editing.ts";
import { type KeyActs, wireKeys } from "./keys.ts";
import { ChapterList } from "./list.ts";
import { Listening } from "./listening.ts";
import { Picture } from "./picture.ts";
import type { ChaptersTexts } from "./texts.ts";
import { wireToolbar } from "./toolbar.ts";

const LEAD_S = 2; // a boundary is judged by what comes before it

export class Annotating {
  readonly #texts: ChaptersTexts;
  readonly #host: WorkspaceHost;
  readonly #editing: Editing;
  readonly #picture: Picture;
  readonly #list: ChapterList;
  readonly #listening: Listening;
  readonly #keeping: Keeping;
  readonly #status: HTMLElement;
  readonly #showTools: (editing: Editing) => void;

  constructor(root: HTMLElement, page: ShownPage, host: WorkspaceHost, texts: ChaptersTexts, scope: Scope) {
    const draft = readDraft(page.draft);
    const { titles, titles_needed } = page.page as unknown as ChaptersPage;
    const durationS = () => this.#picture.durationS;
    this.#texts = texts;
    this.#host = host;
    this.#status = need("[data-part=status]", root);
    this.#editing = new Editing(divisionOf(draft), durationS);
    this.#keeping = new Keeping(scope, host, () => host.keep(this.#payload(false), this.#listening.summary));
    this.#picture = this.#mountPicture(root, page, scope);
    const heard = () => this.#keeping.soon("heard");
    this.#listening = new Listening(scope, this.#picture.viewer, draft.listened ?? {}, heard);
    this.#list = this.#mountList(root, titles, scope);
    const acts = this.#acts(titles);
    wireKeys(scope, page.keys, acts);
    page.keys.onStop(scope, () => this.#stop());
    this.#showTools = wireToolbar({ scope, root, texts, acts, picture: this.#picture });
    new Closing({
      scope,
      root,
      texts,
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
      texts: { ...readTexts(), pictures_hint: this.#texts.pictures_hint },
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
      complain: (sentence: string) => this.#say(sentence),
    };
    const durationS = () => this.#picture.durationS;
    return new ChapterList({ scope, root, texts: this.#texts, withTitles, durationS, acts });
  }

  #acts(titles: boolean): KeyActs {
    const picture = this.#picture;
    const editing = this.#editing;
    return {
      mark: () => this.#did(editing.addAt(picture.positionS)),
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
      undo: () => this.#did(editing.undo()),
      redo: () => this.#did(editing.redo()),
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
    this.#keeping.soon("text");
    this.#show();
  }

  #choose(id: string | null): void {
    if (id === this.#editing.chosen) return;
    this.#editing.choose(id);
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

  #did(outcome: Outcome | null): void {
    if (!outcome) return;
    if (outcome.changed) this.#keeping.soon("act");
    this.#show();
    this.#say(fill(this.#texts[outcome.says], { n: outcome.n, time: formatTime(outcome.atS, 1) }));
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
    this.#keeping.drop();
    await this.#host.finish(this.#payload(true), this.#listening.summary);
  }

  #payload(finished: boolean): Json {
    const { division } = this.#editing;
    const { opening } = division;
    const payload: Payload = { boundaries: boundariesOf(division), opening, listened: this.#listening.kept, finished };
    return payload as unknown as Json;
  }
}
