// View of chaptering: a recording of any length, where its chapters begin, and their titles.

import { fill, need } from "../../../frontend/src/lib/dom.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { Annotation } from "./annotation.ts";
import { type ChaptersTexts, readChaptersTexts } from "./contract.ts";
import { showTranscript } from "./lists.ts";

export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  const root = host.showWorkspace();
  const texts = readChaptersTexts();
  need("[data-part=where]", root).textContent = whereText(page, texts);
  askAs(root, page);
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  const annotating = new Annotation(need("[data-part=workspace]", root), page, host, texts, scope);
  const transcript = need("[data-part=transcript]", root);
  const { text = "" } = page.texts.transcript ?? {};
  transcript.hidden = !text;
  const goTo = (seconds: number) => annotating.goTo(seconds);
  if (text) showTranscript(scope, need("[data-part=transcript-lines]", transcript), text, goTo);
}

function whereText({ place }: ShownPage, texts: ChaptersTexts): string {
  return place.of > 1 ? fill(texts.where, { n: place.number, of: place.of }) : texts.where_one;
}

/** The question in the words of the test, which may be in another language than the page. */
function askAs(root: ParentNode, { labels }: ShownPage): void {
  const words = labels.CHAPTERS;
  const [question, attend] = [need("[data-part=question]", root), need("[data-part=attend]", root)];
  question.lang = attend.lang = words?.language ?? "";
  question.textContent = words?.question ?? "";
  attend.textContent = words?.attend ?? "";
}
