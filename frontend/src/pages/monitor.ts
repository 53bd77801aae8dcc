// Page that updates automatically: [data-live="<address>"] is fetched again every few seconds, or [data-every] in ms.
import { REPLACED } from "../lib/dom.ts";
import { request } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";

const POLL_MS = 5000;

const scope = new Scope();

/** Put the fresh part in place; what is open stays open, and the focus stays. */
function show(root: HTMLElement, html: string): void {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  for (const details of fresh.querySelectorAll("details[id]"))
    details.toggleAttribute("open", root.querySelector(`#${CSS.escape(details.id)}`)?.hasAttribute("open") ?? false);
  root.replaceChildren(...fresh.body.childNodes);
  document.dispatchEvent(new Event(REPLACED));
}

async function refresh(root: HTMLElement): Promise<void> {
  if (document.visibilityState !== "visible" || root.contains(document.activeElement)) return;
  try {
    const headers = { Accept: "text/html" };
    const answer = await request(root.dataset.live ?? "", { headers, signal: scope.signal });
    if (!answer.redirected) show(root, await answer.text()); // a redirect leads to sign-in: what is shown stays
  } catch {
    // The server restarts or the network is away; the next round asks again.
  }
}

for (const root of document.querySelectorAll<HTMLElement>("[data-live]"))
  scope.every(Number(root.dataset.every ?? POLL_MS), () => void refresh(root));
