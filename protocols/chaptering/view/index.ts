// View of chaptering: a recording of any length, where its chapters begin, and their titles.

import { need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { Annotation } from "./annotation.ts";
import { showTranscript } from "./lists.ts";

export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  const root = host.showWorkspace();
  need("[data-part=where]", root).textContent = whereText(page);
  askAs(root, page);
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  const annotating = new Annotation(need("[data-part=workspace]", root), page, host, scope);
  const transcript = need("[data-part=transcript]", root);
  const { text = "" } = page.texts.transcript ?? {};
  transcript.hidden = !text;
  const goTo = (seconds: number) => annotating.goTo(seconds);
  if (text) showTranscript(scope, need("[data-part=transcript-lines]", transcript), text, goTo);
}

function whereText({ place }: ShownPage): string {
  return place.of > 1
    ? fill(gettext("Recording {n} of {of}"), { n: place.number, of: place.of })
    : gettext("Recording");
}

/** The question in the words of the test, which may be in another language than the page. */
function askAs(root: ParentNode, { labels }: ShownPage): void {
  const words = labels.CHAPTERS;
  const [question, attend] = [need("[data-part=question]", root), need("[data-part=attend]", root)];
  question.lang = attend.lang = words?.language ?? "";
  question.textContent = words?.question ?? "";
  attend.textContent = words?.attend ?? "";
}
