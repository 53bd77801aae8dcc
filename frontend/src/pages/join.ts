// Landing page of a test that needs a wide window: the button to agree is there only while the window is wide enough.
import { Scope } from "../lib/scope.ts";

const scope = new Scope();

for (const form of document.querySelectorAll<HTMLElement>("[data-least-width]")) {
  const wide = matchMedia(`(min-width: ${form.dataset.leastWidth}px)`);
  const show = () => {
    const state = wide.matches ? "wide" : "narrow";
    for (const part of form.querySelectorAll<HTMLElement>("[data-when]")) part.hidden = part.dataset.when !== state;
  };
  scope.listen(wide, "change", show);
  show();
}
