// The example: captions with their worked scores and reasons, and a clip to set the level by. Nothing is asked.
import { need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { wordsOf } from "./caption.ts";
import { Clip } from "./clip.ts";
import { pageOf } from "./contract.ts";
import { clipOf } from "./rating.ts";
import type { ThumbsTexts } from "./texts.ts";
import { workedCaptions } from "./worked.ts";

export function openExample(
  root: HTMLElement,
  page: ShownPage,
  host: WorkspaceHost,
  texts: ThumbsTexts,
  scope: Scope,
  openRubric: () => void,
): void {
  const template = need<HTMLTemplateElement>("template[data-part=worked]", root);
  need("[data-part=captions]", root).replaceChildren(...workedCaptions(page, template, texts, "example"));
  tellSynthesised(root, page, texts);
  const clip = new Clip({
    scope,
    root,
    texts,
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
  const meanings: Record<string, () => void> = { " ": () => clip.toggle(), h: openRubric, Enter: next };
  page.keys.on(scope, ({ key }) => {
    const act = meanings[key.length === 1 ? key.toLowerCase() : key];
    act?.();
    return act !== undefined;
  });
}

/** The question and its answer stand where the question will stand, without anything to choose. */
function tellSynthesised(root: HTMLElement, page: ShownPage, texts: ThumbsTexts): void {
  const { example, synthesised } = pageOf(page);
  const place = need("[data-part=synthesised]", root);
  place.hidden = !synthesised || typeof example?.synthesised !== "boolean";
  const words = wordsOf(page, "SYNTHESISED");
  const answer = example?.synthesised ? texts.yes : texts.no;
  place.replaceChildren(`${words.question} `, Object.assign(document.createElement("b"), { textContent: answer }));
}
