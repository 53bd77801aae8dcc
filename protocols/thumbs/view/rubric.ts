// What the scores mean, in the words of the test, with the example; one key away.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords, ShownPage, TrialPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { wordsOf } from "./caption.ts";
import { ENTERED, pageOf } from "./contract.ts";
import { formatNumber } from "./scores.ts";
import type { ThumbsTexts } from "./texts.ts";
import { workedCaptions } from "./worked.ts";

let example: TrialPage | undefined; // the same on every page of a visit

/** Returns what opens it. */
export function wireRubric(
  scope: Scope,
  root: ParentNode,
  page: ShownPage,
  host: WorkspaceHost,
  texts: ThumbsTexts,
): () => void {
  const dialog = need<HTMLDialogElement>("[data-part=rubric]", root);
  const template = need<HTMLTemplateElement>("template[data-part=worked]", root);
  const place = need("[data-part=rubric-example]", dialog);
  need("[data-part=rubric-words]", dialog).replaceChildren(
    ...ENTERED.flatMap((scale) => definition(wordsOf(page, scale))),
  );
  const show = () => {
    if (example && !place.childElementCount) place.append(...workedCaptions(example, template, texts, "rubric"));
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
