// A maker's page: words of a transcript as toggles in their order, a counter, and the summary read back below.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { Keeping } from "../../../frontend/src/workspace/keeping.ts";
import { type WayBack, wayBack } from "../../../frontend/src/workspace/wayback.ts";
import { draftOf, type MakerPage, type Payload, type Picked, pageOf, wordsOf } from "./contract.ts";
import { missedBy, Picks } from "./picks.ts";
import { Sound } from "./sound.ts";
import type { SummaryTexts } from "./texts.ts";
import { WordRow } from "./wordrow.ts";
import { joined, sentenceAround } from "./words.ts";

export class Making {
  readonly #root: HTMLElement;
  readonly #page: MakerPage;
  readonly #words: string[];
  readonly #picks: Picks;
  readonly #texts: SummaryTexts;
  readonly #host: WorkspaceHost;
  readonly #sound: Sound;
  readonly #drafts: Keeping;
  readonly #row: WordRow;
  readonly #part: <E extends HTMLElement = HTMLElement>(name: string) => E;

  constructor(root: HTMLElement, shown: ShownPage, host: WorkspaceHost, texts: SummaryTexts, scope: Scope) {
    const draft = draftOf<Picked>(shown);
    this.#root = root;
    this.#host = host;
    this.#texts = texts;
    this.#part = (name) => need(`[data-part=${name}]`, root);
    this.#page = pageOf(shown) as MakerPage;
    this.#words = wordsOf(shown);
    this.#picks = new Picks(this.#words.length, draft.picked);
    this.#drafts = new Keeping(scope, host, () => this.#keep());
    this.#sound = new Sound({
      root,
      page: shown,
      host,
      texts,
      scope,
      plays: draft.listened?.plays ?? 0,
      onPlay: () => this.#drafts.soon("act"),
    });
    this.#row = new WordRow(this.#part("words"), this.#words, this.#picks, scope, {
      changed: () => this.#changed(),
      sentence: (position) => this.#picks.toggleAll(sentenceAround(this.#words, position)),
    });
    this.#wire(shown, scope);
    this.#show();
  }

  /** Where the keyboard begins. */
  focus(): void {
    this.#row.focus();
  }

  #wire(shown: ShownPage, scope: Scope): void {
    scope.listen(this.#part("undo"), "click", () => this.#step("undo"));
    scope.listen(this.#part("redo"), "click", () => this.#step("redo"));
    scope.listen(this.#part("clear"), "click", () => {
      this.#picks.clear();
      this.#changed();
    });
    scope.listen(this.#part("finish"), "click", () => this.#finish());
    scope.listen<KeyboardEvent>(this.#root, "keydown", (event) => {
      const way = wayBack(event);
      if (!way) return;
      event.preventDefault();
      this.#step(way);
    });
    shown.keys.on(scope, ({ key }) => {
      if (key.toLowerCase() !== "l") return false;
      this.#sound.toggle();
      return true;
    });
  }

  #step(way: WayBack): void {
    if (this.#picks[way]()) this.#changed();
  }

  #changed(): void {
    this.#show();
    this.#drafts.soon("act");
  }

  #show(): void {
    const { least, most, target, ratio } = this.#page;
    const { count, positions } = this.#picks;
    const missed = missedBy(count, this.#page);
    const percent = Math.round(100 * ratio);
    this.#row.show();
    this.#part("counter").textContent = fill(this.#texts.counter, { n: count, target, percent, least, most });
    const verdict = this.#part("verdict");
    verdict.textContent = this.#verdict(missed);
    verdict.dataset.state = missed === 0 ? "fits" : missed < 0 ? "short" : "long";
    this.#drawMeter(count);
    const summary = joined(positions.map((position) => this.#words[position - 1] ?? ""));
    const readBack = this.#part("summary");
    readBack.replaceChildren(summary || make("span", { class: "muted" }, this.#texts.empty));
    this.#part<HTMLButtonElement>("undo").disabled = !this.#picks.canUndo;
    this.#part<HTMLButtonElement>("redo").disabled = !this.#picks.canRedo;
    this.#part<HTMLButtonElement>("clear").disabled = count === 0;
    this.#part("finish").setAttribute("aria-disabled", String(missed !== 0));
  }

  #verdict(missed: number): string {
    if (missed === 0) return this.#texts.fits;
    return fill(missed < 0 ? this.#texts.more : this.#texts.fewer, { n: Math.abs(missed) });
  }

  /** A track as long as the transcript, with the range that a summary may have on it. */
  #drawMeter(count: number): void {
    const share = (words: number) => `${(100 * words) / Math.max(this.#words.length, 1)}%`;
    const { style } = this.#part("meter");
    style.setProperty("--picked", share(count));
    style.setProperty("--least", share(this.#page.least));
    style.setProperty("--most", share(this.#page.most));
  }

  #payload(finished: boolean): Payload {
    const { plays } = this.#sound.listened;
    return { picked: this.#picks.positions, listened: { plays }, finished };
  }

  #keep(): void {
    this.#host.keep(this.#payload(false), this.#sound.listened);
  }

  #finish(): void {
    if (missedBy(this.#picks.count, this.#page) !== 0) {
      this.#part("verdict").scrollIntoView({ block: "nearest" });
      this.#row.focus();
      return;
    }
    this.#drafts.drop();
    void this.#host.finish(this.#payload(true), this.#sound.listened);
  }
}
