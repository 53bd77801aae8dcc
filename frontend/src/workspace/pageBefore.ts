// Way back to the page before, where answers may be changed until they are handed in.
import { gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import type { WorkspaceHost } from "../trial/contract.ts";

export function offlineText(): string {
  return gettext("You are offline. Try again when the connection is back; everything you enter is saved.");
}

interface PageBeforeParts {
  scope: Scope;
  host: Pick<WorkspaceHost, "pages" | "turnTo" | "notice">;
  trial: string;
  /** Keep what was entered; then the page is left. */
  leave: () => void;
}

/** Open the page before this one, in the order in which they come; without a network, say that it must wait. */
export async function openPageBefore({ scope, host, trial, leave }: PageBeforeParts): Promise<void> {
  if (!navigator.onLine) {
    host.notice(offlineText());
    return;
  }
  leave();
  const pages = await host.pages();
  const before = pages[pages.findIndex((page) => page.trial === trial) - 1];
  if (before && !scope.disposed) host.turnTo(before.trial);
}
