// Worked example: captions with their scores and reasons, on a page of its own and beside the rubric.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords, ShownPage, TrialPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { hidesOverall, nameCaption, wordsOf } from "./caption.ts";
import { Clip } from "./clip.ts";
import { captionSlots, ENTERED, pageOf, type Worked } from "./contract.ts";
import { clipOf } from "./rating.ts";
import { formatNumber, formatSum, isComplete, overall } from "./scores.ts";

/** One card for every caption of an example page; `prefix` keeps the ids of two places apart. */
function workedCaptions(page: TrialPage, template: HTMLTemplateElement, prefix: string): HTMLElement[] {
  const worked = pageOf(page).example?.captions ?? {};
  return captionSlots(page).map((slot, index) => {
    const card = need(".thumbs-caption", template.content.cloneNode(true) as DocumentFragment);
    nameCaption(card, `${prefix}-${slot}`, fill(gettext("Caption {n}"), { n: index + 1 }));
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

let example: TrialPage | undefined; // the same on every page of a visit

/** Returns what opens it. */
export function wireRubric(scope: Scope, root: ParentNode, page: ShownPage, host: WorkspaceHost): () => void {
  const dialog = need<HTMLDialogElement>("[data-part=rubric]", root);
  const template = need<HTMLTemplateElement>("template[data-part=worked]", root);
  const place = need("[data-part=rubric-example]", dialog);
  need("[data-part=rubric-words]", dialog).replaceChildren(
    ...ENTERED.flatMap((scale) => definition(wordsOf(page, scale))),
  );
  const show = () => {
    if (example && !place.childElementCount) place.append(...workedCaptions(example, template, "rubric"));
  };
  const open = () => {
    dialog.showModal();
    show();
    if (!example && navigator.onLine)
      void host.pages().then((pages) => {
        example = pages.find((one) => pageOf(one).example);
        if (!scope.disposed) show();
      });
  };
  scope.listen(need("[data-act=rubric]", root), "click", open);
  return open;
}

function definition({ language, word, question, attend, anchors }: ScaleWords): HTMLElement[] {
  const values = anchors.map(({ value, label }) => make("li", {}, make("b", {}, formatNumber(value)), ` ${label}`));
  return [
    make("dt", { lang: language }, word),
    make(
      "dd",
      { lang: language },
      make("p", {}, question),
      make("p", { class: "muted" }, attend),
      make("ul", {}, ...values),
    ),
  ];
}

/** The example: captions with their worked scores and reasons, and a clip to set the level by. Nothing is asked. */
export function openExample(
  root: HTMLElement,
  page: ShownPage,
  host: WorkspaceHost,
  scope: Scope,
  openRubric: () => void,
): void {
  const template = need<HTMLTemplateElement>("template[data-part=worked]", root);
  need("[data-part=captions]", root).replaceChildren(...workedCaptions(page, template, "example"));
  tellSynthesised(root, page);
  const clip = new Clip({
    scope,
    root,
    url: page.media.clip?.url ?? "",
    renew: () => clipOf(host, page.trial),
    plays: 0,
    changed: () => {},
  });
  const next = () => {
    clip.stop();
    void host.finish({ seen: true, finished: true }, clip.listened);
  };
  scope.listen(need("[data-act=next]", root), "click", next);
  page.keys.onStop(scope, () => clip.stop());
  host.resumeAt(() => need("[data-part=where]", root).focus({ preventScroll: true }));
  const meanings: Record<string, () => void> = { " ": () => clip.toggle(), h: openRubric, Enter: next };
  page.keys.on(scope, ({ key }) => {
    const act = meanings[key.length === 1 ? key.toLowerCase() : key];
    act?.();
    return act !== undefined;
  });
}

/** The question and its answer stand where the question will stand, without anything to choose. */
function tellSynthesised(root: HTMLElement, page: ShownPage): void {
  const { example, synthesised } = pageOf(page);
  const place = need("[data-part=synthesised]", root);
  place.hidden = !synthesised || typeof example?.synthesised !== "boolean";
  const words = wordsOf(page, "SYNTHESISED");
  place.removeAttribute("role"); // nothing to choose
  const answer = example?.synthesised ? gettext("Yes") : gettext("No");
  place.replaceChildren(`${words.question} `, Object.assign(document.createElement("b"), { textContent: answer }));
}
