// Rating page of one clip: its captions side by side, each scored; every change is kept.

import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { Json } from "../../../frontend/src/outbox/events.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { digitOf, type Keys, placeOf } from "../../../frontend/src/trial/keys.ts";
import { Autosave } from "../../../frontend/src/workspace/autosave.ts";
import { CaptionCard, type Row, wordsOf } from "./caption.ts";
import { Clip, Synthesised } from "./clip.ts";
import { ENTERED, readDraft, type Scale } from "./contract.ts";
import type { PageList } from "./pageList.ts";
import { PageAnswers } from "./scores.ts";

const ROWS: Record<string, Scale> = {
  p: "PRECISION",
  r: "RECALL",
  f: "FLUENCY",
  c: "CONCISENESS",
  i: "IRRELEVANCE",
};

interface KeyActs {
  play(): void;
  focusRow(scale: Scale): void;
  /** On the row that has the focus; says whether that meant something. */
  digit(digit: number): boolean;
  step(way: -1 | 1): boolean;
  minus(): boolean;
  noPenalties(): void;
  nextCaption(): void;
  focusSynthesised(): void;
  rubric(): void;
  list(): void;
  back(): void;
  next(): void;
}

/** The keys of one clip's page: the sound, the rows of the chosen caption, and the way on. */
function wireKeys(scope: Scope, root: HTMLElement, keys: Keys, acts: KeyActs): void {
  keys.on(scope, (event) => act(event, acts));
  scope.listen<KeyboardEvent>(root, "keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    acts.next();
  });
  // On a radio that is chosen already Space would do nothing; elsewhere on the page it plays, so it does here.
  scope.listen<KeyboardEvent>(root, "keydown", (event) => {
    const { target } = event;
    const isChosen = target instanceof HTMLInputElement && target.type === "radio" && target.checked;
    if (event.key !== " " || event.repeat || !isChosen || !keys.enabled) return;
    event.preventDefault();
    acts.play();
  });
}

function act(event: KeyboardEvent, acts: KeyActs): boolean {
  const digit = digitOf(event.code);
  if (digit !== undefined) return acts.digit(digit);
  const isRadio = placeOf(event.target) === "choice"; // where arrows already choose
  if (event.key === "ArrowLeft" || event.key === "ArrowRight")
    return !isRadio && acts.step(event.key === "ArrowLeft" ? -1 : 1);
  if (event.key === "-" || event.code === "NumpadSubtract") return acts.minus();
  const row = ROWS[event.key.toLowerCase()];
  if (row) {
    acts.focusRow(row);
    return true;
  }
  return meant(event.key, acts);
}

function meant(key: string, acts: KeyActs): boolean {
  const meanings: Record<string, () => void> = {
    " ": acts.play,
    o: acts.noPenalties,
    n: acts.nextCaption,
    s: acts.focusSynthesised,
    h: acts.rubric,
    l: acts.list,
    Backspace: acts.back,
    Enter: acts.next,
  };
  const act = meanings[key.length === 1 ? key.toLowerCase() : key];
  act?.();
  return act !== undefined;
}

interface RatingParts {
  scope: Scope;
  root: HTMLElement;
  page: ShownPage;
  host: WorkspaceHost;
  list: PageList;
  openRubric: () => void;
}

/** The page of one clip: its captions side by side, each scored; every change is kept, and Next says what is missing. */
export class Rating {
  readonly #parts: RatingParts;
  readonly #answers: PageAnswers;
  readonly #cards: CaptionCard[];
  readonly #clip: Clip;
  readonly #steps: Autosave;
  readonly #synthesised: Synthesised;
  readonly #unheard: HTMLDialogElement;
  #chosen: CaptionCard | undefined;
  #scale: Scale = "PRECISION"; // the row that had the focus last

  constructor(parts: RatingParts) {
    this.#parts = parts;
    const { scope, root, page, host } = parts;
    this.#answers = new PageAnswers(page);
    this.#steps = new Autosave(scope, host, () => host.keep(this.#payload(false), this.#clip.listened));
    this.#cards = this.#makeCards();
    this.#synthesised = new Synthesised(scope, root, page, this.#answers, () => this.#changed());
    this.#clip = new Clip({
      scope,
      root,
      url: page.media.clip?.url ?? "",
      renew: () => clipOf(host, page.trial),
      plays: readDraft(page.draft).listened?.plays ?? 0,
      changed: () => this.#steps.soon("heard"),
    });
    page.keys.onStop(scope, () => this.#clip.stop());
    // A row as a whole takes digits, and Space there plays.
    host.resumeAt(() => this.#chosen?.row(this.#scale)?.element.focus({ preventScroll: true }));
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
    const { scope, root, page } = this.#parts;
    const template = need<HTMLTemplateElement>("template[data-part=caption]", root);
    const answers = this.#answers;
    const changed = (what: "number" | "comment") => this.#changed(what);
    const cards = answers.slots.map(
      (slot, index) => new CaptionCard({ scope, template, page, answers, slot, number: index + 1, changed }),
    );
    for (const card of cards)
      for (const type of ["focusin", "pointerdown"])
        scope.listen(card.element, type, ({ target }) => {
          this.#choose(card);
          this.#scale = scaleAt(target as Element) ?? this.#scale;
        });
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
    const scale = scaleAt(document.activeElement);
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
    if (this.#chosen) this.#say(fill(gettext("Caption {n}: no penalties."), { n: this.#chosen.number }));
  }

  #changed(what: "number" | "comment" = "number"): void {
    this.#steps.soon(what === "number" ? "act" : "text");
    if (what === "number") this.#say("");
  }

  #next(): void {
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur(); // what is typed counts
    if (this.#answers.missing.length) this.#tellMissing();
    else if (this.#clip.plays) void this.#finish();
    else this.#unheard.showModal();
  }

  /** Say beside Next all that is missing, mark it, and go to the first of it. */
  #tellMissing(): void {
    const { missing } = this.#answers;
    for (const card of this.#cards) card.flagMissing();
    this.#synthesised.flag();
    const sentences = this.#cards.map((card) => this.#missingOf(card));
    if (missing.some(({ scale }) => scale === "SYNTHESISED")) sentences.push(gettext("Please answer yes or no."));
    this.#say(sentences.filter(Boolean).join(" "), true);
    const [first] = missing;
    const card = this.#cards.find(({ slot }) => slot === first?.slot);
    if (card && first?.scale !== "SYNTHESISED") card.row(first?.scale as Scale)?.focus();
    else this.#synthesised.focus();
  }

  #missingOf({ slot, number: n }: CaptionCard): string {
    const missing = this.#answers.missingOf(slot);
    if (!missing.length) return "";
    if (missing.length === ENTERED.length) return fill(gettext("Caption {n}: please rate all five values."), { n });
    const scales = missing.map((scale) => wordsOf(this.#parts.page, scale).word).join(", ");
    return fill(gettext("Caption {n}: please rate {scales}."), { n, scales });
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

  #say(sentence: string, isMissing = false): void {
    const place = need("[data-part=status]", this.#parts.root);
    place.textContent = sentence;
    place.toggleAttribute("data-missing", isMissing);
  }
}

/** The scale of the row that an element stands in. */
function scaleAt(element: Element | null): Scale | undefined {
  return element?.closest<HTMLElement>("[data-scale]")?.dataset.scale as Scale | undefined;
}

/** A fresh address of a page's clip; also of a page that was answered before, which is no longer ahead. */
export async function clipOf(host: Pick<WorkspaceHost, "pages">, trial: string): Promise<string> {
  const page = (await host.pages()).find((one) => one.trial === trial);
  return page?.media.clip?.url ?? "";
}
