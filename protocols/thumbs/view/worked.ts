// Captions that were scored beforehand, with reasons: on the example page, and beside the rubric.
import { fill, make, need } from "../../../frontend/src/lib/dom.ts";
import type { TrialPage } from "../../../frontend/src/trial/contract.ts";
import { hidesOverall, nameCaption, wordsOf } from "./caption.ts";
import { captionSlots, ENTERED, pageOf, type Worked } from "./contract.ts";
import { formatNumber, formatSum, isComplete, overall } from "./scores.ts";
import type { ThumbsTexts } from "./texts.ts";

/** One card for every caption of an example page; `prefix` keeps the ids of two places apart. */
export function workedCaptions(
  page: TrialPage,
  template: HTMLTemplateElement,
  texts: ThumbsTexts,
  prefix: string,
): HTMLElement[] {
  const worked = pageOf(page).example?.captions ?? {};
  return captionSlots(page).map((slot, index) => {
    const card = need(".thumbs-caption", template.content.cloneNode(true) as DocumentFragment);
    nameCaption(card, `${prefix}-${slot}`, fill(texts.caption, { n: index + 1 }));
    need("[data-part=text]", card).textContent = page.texts[slot]?.text ?? "";
    showNumbers(card, page, worked[slot] ?? {});
    return card;
  });
}

function showNumbers(card: HTMLElement, page: TrialPage, { why = "", ...numbers }: Worked): void {
  const given = ENTERED.filter((scale) => numbers[scale] !== undefined);
  need("[data-part=numbers]", card).replaceChildren(
    ...given.map((scale) => {
      const words = wordsOf(page, scale);
      const value = formatNumber(numbers[scale] ?? 0);
      return make("div", {}, make("dt", { lang: words.language }, words.word), make("dd", { class: "num" }, value));
    }),
  );
  const total = need("[data-part=total]", card);
  total.hidden = hidesOverall(page) || !isComplete(numbers);
  if (isComplete(numbers)) {
    need("b", total).textContent = wordsOf(page, "OVERALL").word;
    need("span", total).textContent = `${formatSum(numbers)} = ${formatNumber(overall(numbers))}`;
  }
  need("[data-part=why]", card).textContent = why;
}
