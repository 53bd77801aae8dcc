// Page of a checked import: [data-replace] chooses a new file for the one that it names.
import { embedded, need } from "../lib/dom.ts";
import { Scope } from "../lib/scope.ts";
import { Replacement } from "../upload/replacement.ts";
import { type Config, Server } from "../upload/server.ts";

const scope = new Scope();
const config = embedded<Config>("config");
const form = need<HTMLFormElement>("[data-corrections]");
const input = need<HTMLInputElement>("#replacement");
const trouble = need("[data-replace-trouble]");
let chosen: HTMLButtonElement | null = null;

function lock(locked: boolean): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("main button")) button.disabled = locked;
}

const replacement = new Replacement({
  config,
  server: new Server(config, scope),
  scope,
  onProgress: (share) => {
    const bar = chosen?.parentElement?.querySelector("progress");
    if (!bar) return;
    bar.hidden = false;
    bar.value = share;
  },
  onTrouble: (sentence) => {
    trouble.textContent = sentence;
    trouble.hidden = !sentence;
    if (!replacement.sending) lock(false);
  },
  onOver: () => location.reload(),
});

scope.listen<MouseEvent>(form, "click", (event) => {
  const button = (event.target as Element).closest<HTMLButtonElement>("[data-replace]");
  if (!button) return;
  chosen = button;
  input.click();
});
scope.listen(input, "change", () => {
  const file = input.files?.[0];
  input.value = ""; // the same choice again is a change again
  if (!file || !chosen?.dataset.replace) return;
  lock(true);
  void replacement.send(chosen.dataset.replace, file);
});
scope.listen<BeforeUnloadEvent>(window, "beforeunload", (event) => replacement.sending && event.preventDefault());
scope.listen<PageTransitionEvent>(window, "pageshow", (event) => event.persisted && location.reload());
