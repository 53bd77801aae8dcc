// Words of a caption that were selected can be put into its comment, so that it says which words it is about.
import type { Scope } from "../../../frontend/src/lib/scope.ts";

/** Offer the button while words of `text` are selected; they go to the end of the comment. */
export function wireQuoting(
  scope: Scope,
  text: HTMLElement,
  comment: HTMLTextAreaElement,
  button: HTMLElement,
  changed: () => void,
): void {
  let words = "";
  scope.listen(document, "selectionchange", () => {
    words = selectedIn(text);
    button.hidden = !words;
  });
  scope.listen(button, "mousedown", (event) => event.preventDefault()); // or the selection would be gone
  scope.listen(button, "click", () => {
    if (!words) return;
    comment.value = withQuote(comment.value, words);
    changed();
    comment.focus();
    comment.setSelectionRange(comment.value.length, comment.value.length);
  });
}

export function withQuote(comment: string, words: string): string {
  const before = comment.trimEnd();
  return `${before}${before ? "\n" : ""}“${words}”: `;
}

function selectedIn(text: HTMLElement): string {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed) return "";
  const inside = [selection.anchorNode, selection.focusNode].every((node) => text.contains(node));
  return inside ? selection.toString().replace(/\s+/g, " ").trim() : "";
}
