// Replacement of one file of a checked import: announced in the old one's place, sent, and handed in for another check.
import { Problem } from "../lib/http.ts";
import { fill, gettext } from "../lib/i18n.ts";
import type { Scope } from "../lib/scope.ts";
import { Hasher } from "./hashing.ts";
import { UploadQueue } from "./queue.ts";
import { Sender } from "./sender.ts";
import type { Config, Server } from "./server.ts";
import { type Attempt, attemptBy } from "./tusHttpStack.ts";

interface ReplacementParts {
  config: Pick<Config, "hashing_url">;
  server: Pick<Server, "replace" | "submit" | "csrf">;
  scope: Scope;
  /** Share of the file that has arrived, from 0 to 1. */
  onProgress: (share: number) => void;
  onTrouble: (sentence: string) => void;
  /** The page of the import says how it goes on: the check, or the files that are still to be sent. */
  onOver: () => void;
  attempt?: (file: File) => Attempt;
}

export class Replacement {
  readonly #parts: ReplacementParts;
  readonly #queue = new UploadQueue();
  readonly #sender: Sender;
  #sending = false;

  constructor(parts: ReplacementParts) {
    const { config, scope, server, attempt } = parts;
    this.#parts = parts;
    const hasher = new Hasher(config.hashing_url, scope);
    const onChange = () => this.#show();
    const byTus = attemptBy({ hasher, scope, csrf: () => server.csrf(), onMove: onChange, onPiece: onChange });
    this.#sender = new Sender({
      queue: this.#queue,
      hasher,
      scope,
      attempt: (row, file) => (attempt ? attempt(file) : byTus(row, file)),
      onChange,
      onTrouble: (trouble) =>
        parts.onTrouble(trouble ? gettext("The file cannot be sent at the moment. Sending goes on by itself.") : ""),
      onOver: parts.onOver,
      explain: (row) => fill(gettext("'{path}' was not sent."), { path: row.path }),
    });
  }

  /** Whether leaving the page would mean choosing the file again. */
  get sending(): boolean {
    return this.#sending;
  }

  async send(path: string, file: File): Promise<void> {
    this.#sending = true;
    try {
      this.#queue.announce(await this.#parts.server.replace(path, file));
    } catch (problem) {
      this.#sending = false;
      const said = problem instanceof Problem ? problem.message : "";
      this.#parts.onTrouble(said || gettext("The server cannot be reached. Try again."));
      return;
    }
    this.#queue.supply([{ path, file }]);
    this.#sender.wake();
    this.#show();
  }

  #show(): void {
    const { bytes, sent, failed } = this.#queue.totals();
    this.#parts.onProgress(bytes ? sent / bytes : 1);
    if (!this.#sending || !(failed || this.#queue.complete)) return;
    this.#sending = false;
    if (failed) this.#parts.onOver();
    else void this.#handIn();
  }

  async #handIn(): Promise<void> {
    try {
      await this.#parts.server.submit(this.#queue.rows);
    } catch {
      // The import's page then shows the file as arrived, with the button that has it checked.
    }
    this.#parts.onOver();
  }
}
