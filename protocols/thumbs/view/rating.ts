// The page of one clip: its captions side by side, each scored; every change is kept, and the way on says what is missing.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { Keeping } from "../../../frontend/src/workspace/keeping.ts";
import { PageAnswers } from "./answers.ts";
import { CaptionCard, wordsOf } from "./caption.ts";
import { Clip } from "./clip.ts";
import { readDraft, type Scale } from "./contract.ts";
import { type KeyActs, wireKeys } from "./keys.ts";
import type { PageList } from "./pagelist.ts";
import type { Row } from "./rows.ts";
import { Synthesised } from "./synthesised.ts";
import type { ThumbsTexts } from "./texts.ts";

export interface RatingParts {
  scope: Scope;
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  texts: ThumbsTexts;
  list: PageList;
  openRubric: () => void;
}

export class Rating {
  readonly #parts: RatingParts;
  readonly #answers: PageAnswers;
  readonly #cards: CaptionCard[];
  readonly #clip: Clip;
  readonly #steps: Keeping;
  readonly #synthesised: Synthesised;
  readonly #unheard: HTMLDialogElement;
  #chosen: CaptionCard | undefined;

  constructor(parts: RatingParts) {
    this.#parts = parts;
    const { scope, root, page, host, texts } = parts;
    this.#answers = new PageAnswers(page);
    this.#steps = new Keeping(scope, host, () => host.keep(this.#payload(false), this.#clip.listened));
    this.#cards = this.#makeCards();
    this.#synthesised = new Synthesised(scope, root, page, this.#answers, () => this.#changed());
    this.#clip = new Clip({
      scope,
      root,
      texts,
      url: page.media.clip?.url ?? "",
      renew: () => clipOf(host, page.trial),
      plays: readDraft(page.draft).listened?.plays ?? 0,
      changed: () => this.#steps.soon("heard"),
    });
    page.keys.onStop(scope, () => this.#clip.stop());
    this.#unheard = need("[data-part=unheard]", root);
    scope.listen(this.#unheard, "close", () => this.#afterWarning(this.#unheard.returnValue));
    scope.listen(need("[data-act=next]", root), "click", () => this.#next());
    wireKeys(scope, root, page.keys, this.#acts());
    this.#choose(this.#cards[0]);
  }

  /** Keep what is not kept yet. */
  flush(): void {
    this.#steps.flush();
  }

  #makeCards(): CaptionCard[] {
    const { scope, root, page, texts } = this.#parts;
    const template = need<HTMLTemplateElement>("template[data-part=caption]", root);
    const answers = this.#answers;
    const changed = (what: "number" | "comment") => this.#changed(what);
    const cards = answers.slots.map(
      (slot, index) => new CaptionCard({ scope, template, page, answers, texts, slot, number: index + 1, changed }),
    );
    for (const card of cards)
      for (const type of ["focusin", "pointerdown"]) scope.listen(card.element, type, () => this.#choose(card));
    need("[data-part=captions]", root).replaceChildren(...cards.map(({ element }) => element));
    return cards;
  }

  #acts(): KeyActs {
    const { list, openRubric } = this.#parts;
    return {
      play: () => this.#clip.toggle(),
      focusRow: (scale) => this.#chosen?.row(scale)?.focus(),
      digit: (digit) => this.#focused?.row.type(digit) ?? false,
      step: (way) => this.#focused?.row.stepBy(way, this.#focused.value) ?? false,
      minus: () => this.#focused?.row.beginPenalty() ?? false,
      noPenalties: () => this.#noPenalties(),
      nextCaption: () => this.#nextCaption(),
      focusSynthesised: () => this.#synthesised.focus(),
      rubric: openRubric,
      list: () => void list.open(),
      back: () => void list.back(),
      next: () => this.#next(),
    };
  }

  /** The row that has the focus, or a control inside it. */
  get #focused(): { row: Row; scale: Scale; value: number | null } | undefined {
    const scale = document.activeElement?.closest<HTMLElement>("[data-scale]")?.dataset.scale as Scale | undefined;
    const row = scale && this.#chosen?.row(scale);
    if (!row || !this.#chosen?.element.contains(document.activeElement)) return undefined;
    return { row, scale, value: this.#answers.numbers(this.#chosen.slot)[scale] ?? null };
  }

  #choose(card: CaptionCard | undefined): void {
    this.#chosen = card;
    for (const one of this.#cards) one.element.toggleAttribute("data-chosen", one === card);
  }

  /** The same row of the caption beside it, so that the two can be compared. */
  #nextCaption(): void {
    const scale = this.#focused?.scale ?? "PRECISION";
    const at = this.#chosen ? this.#cards.indexOf(this.#chosen) : -1;
    this.#cards[(at + 1) % this.#cards.length]?.row(scale)?.focus();
  }

  #noPenalties(): void {
    this.#chosen?.setNoPenalties();
    if (this.#chosen) this.#say(fill(this.#parts.texts.no_penalties, { n: this.#chosen.number }));
  }

  #changed(what: "number" | "comment" = "number"): void {
    this.#steps.soon(what === "number" ? "act" : "text");
    if (what === "number") this.#say("");
  }

  #next(): void {
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur(); // what is typed counts
    const [first] = this.#answers.missing;
    if (first) this.#tellMissing(first.slot);
    else if (this.#clip.plays) void this.#finish();
    else this.#unheard.showModal();
  }

  #tellMissing(slot: string): void {
    const { texts, page } = this.#parts;
    const card = this.#cards.find((one) => one.slot === slot);
    if (!card) {
      this.#say(texts.lacks_synthesised);
      this.#synthesised.focus();
      return;
    }
    const missing = this.#answers.missingOf(slot);
    const scales = missing.map((scale) => wordsOf(page, scale).word).join(", ");
    this.#say(fill(texts.lacks, { n: card.number, scales }));
    if (missing[0]) card.row(missing[0])?.focus();
  }

  #afterWarning(pressed: string): void {
    this.#unheard.returnValue = "";
    if (pressed === "go") void this.#finish();
    if (pressed === "play" && !this.#clip.playing) this.#clip.toggle();
  }

  async #finish(): Promise<void> {
    this.#clip.stop();
    this.#steps.drop();
    await this.#parts.host.finish(this.#payload(true), this.#clip.listened);
  }

  #payload(finished: boolean): Json {
    return this.#answers.payload(this.#clip.plays, finished) as unknown as Json;
  }

  #say(sentence: string): void {
    need("[data-part=status]", this.#parts.root).textContent = sentence;
  }
}

/** A fresh address of a page's clip; also of a page that was answered before, which is no longer ahead. */
export async function clipOf(host: Pick<WorkspaceHost, "pages">, trial: string): Promise<string> {
  const page = (await host.pages()).find((one) => one.trial === trial);
  return page?.media.clip?.url ?? "";
}
