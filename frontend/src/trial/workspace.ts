// Host of one open page: shows the view, keeps its steps in order, and closes the page with the last one.

import type { Scope } from "../lib/scope.ts";
import type { Heard, Json, Listened } from "../outbox/events.ts";
import type { ProtocolView, SessionSummary, TrialFrame, TrialPage, WorkspaceHost } from "./contract.ts";
import type { Keys } from "./keys.ts";
import type { Screen } from "./screen.ts";

/** A step, and the revision that it was made from. */
interface UnloadDraft {
  revision: number;
  payload: Json;
  listened: Heard | Listened;
}

const unloadKey = (trial: string) => `earmark-unload-draft ${trial}`;

/** The step that was made while the page was being left: written down at once, because nothing else may come to its end then. */
export function saveUnloadDraft(trial: string, unloadDraft: UnloadDraft): void {
  try {
    localStorage.setItem(unloadKey(trial), JSON.stringify(unloadDraft));
  } catch {
    // Nothing can be kept on this device; what was kept before this moment stays.
  }
}

/** The step, if it never arrived: then the page still stands at the revision from which it was made. It is given once. */
export function takeUnloadDraft(trial: string, revision: number): UnloadDraft | null {
  try {
    const note = localStorage.getItem(unloadKey(trial));
    localStorage.removeItem(unloadKey(trial));
    const unloadDraft = note === null ? null : (JSON.parse(note) as UnloadDraft);
    return unloadDraft?.revision === revision ? unloadDraft : null;
  } catch {
    return null;
  }
}

/** One step as it goes to the outbox. */
export interface Step {
  page: TrialPage; // at the revision that the step follows
  payload: Json;
  heard: Heard | Listened;
  draft: boolean;
}

interface WorkspaceParts {
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

/** Host of one open page: shows the view, keeps its steps in order, and closes the page with the last one. */
export class Workspace {
  readonly #parts: WorkspaceParts;
  readonly #revisions = new Map<string, number>(); // of pages that steps were made on here
  #steps: Promise<void> = Promise.resolve(); // the last one; each waits for the one before
  #leaving = false;
  #resume = () => {};

  /** Resolves when the page is closed, or when the scope ended because it was closed elsewhere. */
  readonly done: Promise<void>;

  constructor(parts: WorkspaceParts) {
    const { view, screen, keys, sessions, scope, changing, renew, pages, turnTo, showTrial } = parts;
    this.#parts = parts;
    scope.listen(window, "pagehide", () => {
      this.#leaving = true; // before the view, which makes its last step now
    });
    // The browser has put the focus back on the button that opened the dialog.
    scope.listen(document, "close", () => document.querySelector("dialog[open]") ?? this.#resume(), true);
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
      goOn: () => scope.dispose(),
      resumeAt: (focus: () => void) => {
        this.#resume = focus;
      },
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
    const unloadDraft = takeUnloadDraft(page.trial, page.revision);
    if (!unloadDraft) return page;
    void this.#keep(page, unloadDraft.payload, unloadDraft.listened, true);
    return { ...page, draft: unloadDraft.payload };
  }

  async #finish(payload: Json, heard: Heard | Listened): Promise<void> {
    await this.#keep(this.#parts.page, payload, heard, false);
    this.#parts.scope.dispose();
  }

  #keep(page: TrialPage, payload: Json, heard: Heard | Listened, draft: boolean): Promise<void> {
    const revision = this.#revisions.get(page.trial) ?? page.revision;
    this.#revisions.set(page.trial, revision + 1);
    const step = { page: { ...page, revision }, payload, heard, draft };
    if (this.#leaving) saveUnloadDraft(page.trial, { revision, payload, listened: heard });
    const settled = this.#parts.changing();
    this.#steps = this.#steps.then(() => this.#parts.keep(step)).finally(settled);
    return this.#steps;
  }
}
