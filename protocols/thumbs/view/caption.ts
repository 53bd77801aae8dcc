// One caption with its two scores, three penalties, their sum and a comment.
import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords, ShownPage } from "../../../frontend/src/trial/contract.ts";
import type { PageAnswers } from "./answers.ts";
import { ENTERED, PENALTIES, pageOf, SCORES, type Scale } from "./contract.ts";
import { wireQuoting } from "./quoting.ts";
import { Row } from "./rows.ts";
import { formatNumber, formatSum, isComplete, overall } from "./scores.ts";
import type { ThumbsTexts } from "./texts.ts";

export interface CaptionParts {
  scope: Scope;
  template: HTMLTemplateElement;
  page: ShownPage;
  answers: PageAnswers;
  texts: ThumbsTexts;
  slot: string;
  number: number;
  changed: (what: "number" | "comment") => void;
}

export class CaptionCard {
  readonly element: HTMLElement;
  readonly slot: string;
  readonly number: number;
  readonly #parts: CaptionParts;
  readonly #rows = new Map<Scale, Row>();

  constructor(parts: CaptionParts) {
    this.#parts = parts;
    const { scope, template, page, slot, number, texts } = parts;
    this.slot = slot;
    this.number = number;
    this.element = need(".thumbs-caption", template.content.cloneNode(true) as DocumentFragment);
    this.element.dataset.slot = slot;
    nameCaption(this.element, slot, fill(texts.caption, { n: number }));
    need("[data-part=text]", this.element).textContent = page.texts[slot]?.text ?? "";
    for (const [place, scales] of [
      ["scores", SCORES],
      ["penalties", PENALTIES],
    ] as const)
      need(`[data-part=${place}]`, this.element).replaceChildren(...scales.map((scale) => this.#row(scale)));
    scope.listen(need("[data-act=none]", this.element), "click", () => this.setNoPenalties());
    this.#wireComment();
    this.#nameTotal();
    this.show();
  }

  setNoPenalties(): void {
    for (const scale of PENALTIES) this.#rows.get(scale)?.clearDoubt();
    this.#parts.answers.setNoPenalties(this.slot);
    this.#changed();
  }

  row(scale: Scale): Row | undefined {
    return this.#rows.get(scale);
  }

  show(): void {
    const { answers, texts } = this.#parts;
    const numbers = answers.numbers(this.slot);
    for (const [scale, row] of this.#rows) row.show(numbers[scale] ?? null);
    const count = ENTERED.length - answers.missingOf(this.slot).length;
    const complete = isComplete(numbers);
    need("[data-part=count]", this.element).textContent = complete
      ? texts.all_set
      : fill(texts.set_count, { n: count });
    const total = need("[data-part=total]", this.element);
    total.dataset.set = complete ? "yes" : "no";
    need("span", total).textContent = complete
      ? `${formatSum(numbers)} = ${formatNumber(overall(numbers))}`
      : texts.overall_later;
  }

  #row(scale: Scale): HTMLElement {
    const { scope, page, answers, texts } = this.#parts;
    const row = new Row({
      scope,
      scale,
      texts,
      id: `${this.slot}-${scale}`,
      words: wordsOf(page, scale),
      step: pageOf(page).step,
      set: (value) => {
        answers.set(this.slot, scale, value);
        this.#changed();
      },
    });
    this.#rows.set(scale, row);
    return row.element;
  }

  #changed(): void {
    this.show();
    this.#parts.changed("number");
  }

  #wireComment(): void {
    const { scope, answers, texts, changed } = this.#parts;
    const comment = need<HTMLTextAreaElement>("textarea", this.element);
    const label = need<HTMLLabelElement>(".thumbs-caption__comment label", this.element);
    comment.id = label.htmlFor = `${this.slot}-comment`;
    comment.setAttribute("aria-label", fill(texts.comment_of, { n: this.number }));
    comment.value = answers.comment(this.slot);
    const keep = () => {
      answers.setComment(this.slot, comment.value);
      changed("comment");
    };
    scope.listen(comment, "input", keep);
    const quote = need("[data-act=quote]", this.element);
    wireQuoting(scope, need("[data-part=text]", this.element), comment, quote, keep);
  }

  #nameTotal(): void {
    const { page } = this.#parts;
    const total = need("[data-part=total]", this.element);
    total.hidden = hidesOverall(page);
    need("b", total).textContent = wordsOf(page, "OVERALL").word;
  }
}

export function nameCaption(element: HTMLElement, slot: string, name: string): void {
  const heading = need("h2", element);
  heading.id = `${slot}-name`;
  heading.textContent = name;
  element.setAttribute("aria-labelledby", heading.id);
}

/** The words of a scale as the test has them. */
export function wordsOf({ labels }: Pick<ShownPage, "labels">, scale: string): ScaleWords {
  return labels[scale] ?? { language: "", word: scale, question: "", attend: "", anchors: [] };
}

/** Whether assessors may see what their numbers add up to; it invites steering. */
export function hidesOverall({ options }: Pick<ShownPage, "options">): boolean {
  return (options as { overall?: string }).overall === "never";
}
