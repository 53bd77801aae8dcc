// Chaptering in the browser: a recording of any length, the moments at which chapters begin, and what they are called.
import { Annotating } from "../chapters/annotating.ts";
import { type ChaptersTexts, readChaptersTexts } from "../chapters/texts.ts";
import { showTranscript } from "../chapters/transcript.ts";
import { fill, need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { Desk, ShownPage } from "../trial/contract.ts";

export function open(root: HTMLElement, page: ShownPage, desk: Desk, scope: Scope): void {
  root.replaceChildren(desk.markup);
  const texts = readChaptersTexts();
  need("[data-part=where]", root).textContent = whereText(page, texts);
  askAs(root, page);
  scope.listen(need("[data-part=keys]", root), "click", () => need<HTMLDialogElement>("#key-sheet").showModal());
  const annotating = new Annotating(need("[data-part=workspace]", root), page, desk, texts, scope);
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
