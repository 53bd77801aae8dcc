// Controller of the upload page: brings together the dropped files, the server, the sender and the screen.
import { need } from "../lib/dom.ts";
import { isFinalError, Problem, retrying } from "../lib/http.ts";
import { fill, gettext, ngettext } from "../lib/i18n.ts";
import { type Scope, WakeSignal } from "../lib/scope.ts";
import {
  type Collected,
  forgetHandles,
  fromEntries,
  fromHandles,
  fromInput,
  type Handle,
  type Picked,
  permitted,
  recallHandles,
  rememberHandles,
  Unreadable,
} from "./droppedFiles.ts";
import type { Trouble } from "./errors.ts";
import { Hasher } from "./hashing.ts";
import { UploadQueue } from "./queue.ts";
import type { Screen } from "./screen.ts";
import { Sender } from "./sender.ts";
import type { Config, Server } from "./server.ts";
import { attemptBy } from "./tusHttpStack.ts";

const DRAWN_EVERY_MS = 250;
const SIGNED_OUT = 401;

export interface UploadControllerParts {
  config: Config;
  screen: Screen;
  server: Server;
  scope: Scope;
  /** Where a page needs no press to have the files checked: what it does once they are handed in. */
  whenSubmitted?: () => void;
  /** The address under which a reload finds the import again. */
  address?: () => string;
}

export class UploadController {
  readonly #parts: UploadControllerParts;
  readonly #queue = new UploadQueue();
  readonly #hasher: Hasher;
  readonly #sender: Sender;
  readonly #wakeSignal = new WakeSignal();
  #handles: Handle[] = [];
  #turn: Promise<void> = Promise.resolve();
  #changed = false;
  #submitting = false;
  #submitted = false;

  constructor(parts: UploadControllerParts) {
    const { config, scope, server } = parts;
    this.#parts = parts;
    const hasher = new Hasher(config.hashing_url, scope);
    this.#hasher = hasher;
    const onMove = () => {
      this.#changed = true;
    };
    this.#sender = new Sender({
      queue: this.#queue,
      hasher,
      scope,
      attempt: attemptBy({ hasher, scope, csrf: () => server.csrf(), onMove, onPiece: () => this.#tell(null) }),
      onChange: onMove,
      onTrouble: (trouble) => this.#tell(trouble),
      onOver: () => location.reload(), // the page of an import that is over says what became of it
      explain: (row, { why, detail }) =>
        ({
          unreadable: fill(gettext("The browser cannot read '{path}' any more. Choose it again."), { path: row.path }),
          gone: gettext("This import has expired or was cancelled. Begin a new one."),
          refused: detail,
        })[why],
    });
    scope.every(DRAWN_EVERY_MS, () => this.#changed && this.draw());
  }

  /** Whether leaving the page would mean choosing files again. */
  get wouldLose(): boolean {
    const { done, files, absent } = this.#queue.totals();
    return done + absent < files && !this.#handles.length;
  }

  /** Whether files were chosen that are not all handed in. */
  get pending(): boolean {
    return this.#queue.totals().files > 0 && !this.#submitted;
  }

  draw(): void {
    this.#changed = false;
    this.#parts.screen.show(this.#queue, { paused: this.#sender.paused, now: performance.now() });
    if (this.#parts.whenSubmitted && this.#queue.complete && !this.#submitting) void this.submit();
  }

  wake(): void {
    this.#wakeSignal.notify();
    this.#sender.wake();
  }

  /** An import that was begun before: show its files, and go on automatically where the browser permits it. */
  async resume(): Promise<void> {
    const { scope, server, screen } = this.#parts;
    if (!server.importId) return;
    const onFailure = (problem: unknown) => this.#complain(problem);
    try {
      const ask = { scope, wakeSignal: this.#wakeSignal, isFinal: isFinalError, onFailure };
      this.#queue.announce(await retrying(() => server.list(), ask));
    } catch (error) {
      this.#complain(error);
      return;
    }
    screen.note("");
    this.draw();
    this.#handles = await recallHandles(server.importId);
    screen.reopen.hidden = !this.#handles.length;
    await this.reopen({ ask: false });
  }

  /** Read the remembered folders again; with a click behind it, the browser may be asked for permission. */
  async reopen(wish: { ask: boolean }): Promise<void> {
    if (!this.#queue.totals().absent) return;
    const open = await permitted(this.#handles, wish);
    if (open.length) await this.#take(() => fromHandles(open, (count) => this.#count(count)));
  }

  takeDrop(entries: FileSystemEntry[], handles: Promise<Handle[]>): Promise<void> {
    return this.#take(() => fromEntries(entries, (count) => this.#count(count)), handles);
  }

  takeHandles(handles: Handle[]): Promise<void> {
    return this.#take(() => fromHandles(handles, (count) => this.#count(count)), handles);
  }

  takeFiles(files: Iterable<File>): Promise<void> {
    const collected = fromInput(files); // before the input is emptied
    return this.#take(() => collected);
  }

  togglePause(): void {
    const { screen } = this.#parts;
    if (this.#sender.paused) this.#sender.resume();
    else this.#sender.pause();
    screen.showPaused(this.#sender.paused);
    screen.say(this.#sender.paused ? gettext("Sending is paused.") : gettext("Sending goes on."));
    this.draw();
  }

  async remove(path: string): Promise<void> {
    const row = this.#queue.rows.find((one) => one.path === path);
    if (!row || row.state === "sending") return;
    try {
      await this.#parts.server.forget(row);
    } catch (problem) {
      const isGone = problem instanceof Problem && problem.status === 404;
      if (!isGone) return this.#complain(problem);
    }
    this.#queue.remove(row);
    this.#hasher.forget(path); // another file may come under the same path
    this.draw();
  }

  /** Submit the import for its check, now that every file has arrived. */
  async submit(): Promise<void> {
    const { screen, server, whenSubmitted } = this.#parts;
    screen.submit.disabled = true;
    this.#submitting = true;
    try {
      await server.submit(this.#queue.rows);
      this.#submitted = true;
      await forgetHandles(server.importId);
      if (whenSubmitted) whenSubmitted();
      else location.reload();
    } catch (problem) {
      this.#complain(problem);
      screen.submit.disabled = false;
      screen.submit.hidden = false; // where it was not asked for, it now is
    }
  }

  /** Read and hand in what was chosen; one after another, because two drops at once would begin two imports. */
  #take(collect: () => Collected | Promise<Collected>, handles: Handle[] | Promise<Handle[]> = []): Promise<void> {
    const take = async () => this.#handIn(await collect(), await handles);
    this.#turn = this.#turn.then(take).catch((problem) => this.#complain(problem));
    return this.#turn;
  }

  /** Send what was chosen: what the import waits for goes on, the rest is added to it. */
  async #handIn({ files, ignored }: Collected, handles: readonly Handle[]): Promise<void> {
    const { screen, server } = this.#parts;
    const isNew = !server.importId;
    const { changed, others } = this.#queue.supply(files);
    this.#sender.wake();
    if (others.length) await this.#announce(others);
    if (files.length) {
      this.#handles = [...this.#handles, ...handles];
      await rememberHandles(server.importId, handles);
    }
    const remarks = [
      files.length ? "" : gettext("There are no files in what you dropped."),
      changed[0]
        ? fill(gettext("'{path}' has changed since it was announced. Cancel this import and begin a new one."), {
            path: changed[0].path,
          })
        : "",
      others.length && !isNew
        ? fill(
            ngettext(
              "{count} of these files is new to this import and was added to it.",
              "{count} of these files are new to this import and were added to it.",
              others.length,
            ),
            { count: others.length },
          )
        : "",
      ignored
        ? fill(
            ngettext(
              "{count} hidden file of the system was left out.",
              "{count} hidden files of the system were left out.",
              ignored,
            ),
            { count: ignored },
          )
        : "",
    ];
    screen.note(remarks.filter(Boolean).join(" "));
    this.draw();
  }

  async #announce(others: Picked[]): Promise<void> {
    const { screen, server } = this.#parts;
    const isNew = !server.importId;
    screen.note(gettext("Announcing the files to the server"));
    this.#queue.announce(await server.announce(others));
    this.#queue.supply(others);
    if (isNew) this.#settleIn();
    this.#sender.wake();
  }

  /** From now on a reload leads to this import. */
  #settleIn(): void {
    const { server, address } = this.#parts;
    history.replaceState(null, "", address?.() ?? server.page);
    need<HTMLFormElement>("#cancel").action = `${server.page}cancel/`;
  }

  #count(count: number): void {
    this.#parts.screen.note(
      fill(ngettext("Reading the folder: {count} file", "Reading the folder: {count} files", count), { count }),
    );
  }

  #tell(trouble: Trouble | null): void {
    this.#parts.screen.trouble(trouble ? troubleText(trouble) : "");
  }

  #complain(problem: unknown): void {
    const { screen } = this.#parts;
    if (problem instanceof Unreadable)
      screen.note(fill(gettext("The browser cannot read '{path}' any more. Choose it again."), { path: problem.path }));
    else if (problem instanceof Problem && problem.status === SIGNED_OUT) screen.note(troubleText("session"));
    else screen.note((problem instanceof Problem && problem.message) || troubleText("network"));
  }
}

function troubleText(trouble: Trouble): string {
  return {
    network: gettext("The server cannot be reached. Sending goes on by itself as soon as it can."),
    session: gettext("You are no longer signed in. Sign in again in another tab; sending then goes on here."),
    disk: gettext("The server's disk is full. What has arrived is kept; sending goes on once there is room."),
  }[trouble];
}
