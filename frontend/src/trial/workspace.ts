// Host of one open page: shows the view, keeps its steps in order, and closes the page with the last one.
import type { Scope } from "../lib/scope.ts";
import type { Heard, Json, Listened } from "../outbox/events.ts";
import type { ProtocolView, SessionSummary, TrialFrame, TrialPage, WorkspaceHost } from "./contract.ts";
import type { Keys } from "./keys.ts";
import { leaveNote, takeNote } from "./parting.ts";
import type { Screen } from "./screen.ts";

/** One step as it goes to the outbox. */
export interface Step {
  page: TrialPage; // at the revision that the step follows
  payload: Json;
  heard: Heard | Listened;
  draft: boolean;
}

export interface WorkspaceParts {
  page: TrialPage;
  view: ProtocolView;
  screen: Pick<Screen, "workspace" | "show" | "markup" | "notice">;
  keys: Keys;
  sessions: readonly SessionSummary[];
  scope: Scope;
  changing: WorkspaceHost["changing"];
  showTrial: () => TrialFrame;
  /** Resolves when the step is safe. */
  keep: (step: Step) => Promise<void>;
  renew: () => Promise<TrialPage["media"]>;
  pages: () => Promise<TrialPage[]>;
  turnTo: (trial: string) => void;
}

export class Workspace {
  readonly #parts: WorkspaceParts;
  readonly #revisions = new Map<string, number>(); // of pages that steps were made on here
  #steps: Promise<void> = Promise.resolve(); // the last one; each waits for the one before
  #leaving = false;

  /** Resolves when the page is closed, or when the scope ended because it was closed elsewhere. */
  readonly done: Promise<void>;

  constructor(parts: WorkspaceParts) {
    const { view, screen, keys, sessions, scope, changing, renew, pages, turnTo, showTrial } = parts;
    this.#parts = parts;
    scope.listen(window, "pagehide", () => {
      this.#leaving = true; // before the view, which makes its last step now
    });
    const page = this.#resumed();
    this.done = new Promise((resolve) => {
      scope.own(resolve);
    });
    scope.own(() => screen.workspace.replaceChildren());
    const host = {
      sessions,
      showWorkspace: () => this.#showWorkspace(),
      showTrial,
      changing,
      keep: (payload: Json, listened: Listened) => void this.#keep(page, payload, listened, true),
      finish: (payload: Json, heard: Heard | Listened) => this.#finish(payload, heard),
      renew,
      notice: (sentence: string) => screen.notice(sentence),
      pages,
      turnTo,
      answer: (other: TrialPage, payload: Json, listened: Listened, whole: boolean) =>
        this.#keep(other, payload, listened, !whole),
    };
    view.open(host, { ...page, keys }, scope);
  }

  #showWorkspace(): HTMLElement {
    const { screen } = this.#parts;
    screen.show("workspace");
    screen.workspace.replaceChildren(screen.markup());
    return screen.workspace;
  }

  /** The page, with what was done in the last moment of an earlier visit to it: that is made a step now. */
  #resumed(): TrialPage {
    const { page } = this.#parts;
    const parting = takeNote(page.trial, page.revision);
    if (!parting) return page;
    void this.#keep(page, parting.payload, parting.listened, true);
    return { ...page, draft: parting.payload };
  }

  async #finish(payload: Json, heard: Heard | Listened): Promise<void> {
    await this.#keep(this.#parts.page, payload, heard, false);
    this.#parts.scope.dispose();
  }

  #keep(page: TrialPage, payload: Json, heard: Heard | Listened, draft: boolean): Promise<void> {
    const revision = this.#revisions.get(page.trial) ?? page.revision;
    this.#revisions.set(page.trial, revision + 1);
    const step = { page: { ...page, revision }, payload, heard, draft };
    if (this.#leaving) leaveNote(page.trial, { revision, payload, listened: heard });
    const settled = this.#parts.changing();
    this.#steps = this.#steps.then(() => this.#parts.keep(step)).finally(settled);
    return this.#steps;
  }
}
