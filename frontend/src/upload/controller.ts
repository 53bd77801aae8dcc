// Controller of the upload page: brings together the dropped files, the server, the sender and the screen.
import { fill, need } from "../lib/dom.ts";
import { isRefusal, Problem, retrying } from "../lib/http.ts";
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
import type { Screen, Texts } from "./screen.ts";
import { Sender } from "./sender.ts";
import type { Config, Server } from "./server.ts";
import { attemptBy } from "./tusHttpStack.ts";

const DRAWN_EVERY_MS = 250;
const SIGNED_OUT = 401;

export interface UploadControllerParts {
  config: Config;
  texts: Texts;
  screen: Screen;
  server: Server;
  scope: Scope;
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

  constructor(parts: UploadControllerParts) {
    const { config, scope, server, texts } = parts;
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
        ({ unreadable: fill(texts.trouble_unreadable, { path: row.path }), gone: texts.trouble_gone, refused: detail })[
          why
        ],
    });
    scope.every(DRAWN_EVERY_MS, () => this.#changed && this.draw());
  }

  /** Whether leaving the page would mean choosing files again. */
  get wouldLose(): boolean {
    const { done, files, absent } = this.#queue.totals();
    return done + absent < files && !this.#handles.length;
  }

  draw(): void {
    this.#changed = false;
    this.#parts.screen.show(this.#queue, { paused: this.#sender.paused, now: performance.now() });
  }

  wake(): void {
    this.#wakeSignal.notify();
    this.#sender.wake();
  }

  /** An import that was begun before: show its files, and go on automatically where the browser permits it. */
  async resume(): Promise<void> {
    const { scope, server, screen } = this.#parts;
    if (!server.intake) return;
    const onFailure = (problem: unknown) => this.#complain(problem);
    try {
      const ask = { scope, wakeSignal: this.#wakeSignal, isFinal: isRefusal, onFailure };
      this.#queue.announce(await retrying(() => server.list(), ask));
    } catch (refusal) {
      this.#complain(refusal);
      return;
    }
    screen.note("");
    this.draw();
    this.#handles = await recallHandles(server.intake);
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
    const { screen, texts } = this.#parts;
    if (this.#sender.paused) this.#sender.resume();
    else this.#sender.pause();
    screen.showPaused(this.#sender.paused);
    screen.say(this.#sender.paused ? texts.said_paused : texts.said_resumed);
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

  /** Everything is there: have it looked at. */
  async seal(): Promise<void> {
    const { screen, server } = this.#parts;
    screen.seal.disabled = true;
    try {
      await server.seal(this.#queue.rows);
      await forgetHandles(server.intake);
      location.reload();
    } catch (problem) {
      this.#complain(problem);
      screen.seal.disabled = false;
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
    const { screen, server, texts } = this.#parts;
    const isNew = !server.intake;
    const { changed, others } = this.#queue.supply(files);
    this.#sender.wake();
    if (others.length) await this.#announce(others);
    if (files.length) {
      this.#handles = [...this.#handles, ...handles];
      await rememberHandles(server.intake, handles);
    }
    const remarks = [
      files.length ? "" : texts.trouble_nothing,
      changed[0] ? fill(texts.trouble_changed, { path: changed[0].path }) : "",
      others.length && !isNew ? fill(texts.trouble_unknown, { count: others.length }) : "",
      ignored ? fill(texts.ignored, { count: ignored }) : "",
    ];
    screen.note(remarks.filter(Boolean).join(" "));
    this.draw();
  }

  async #announce(others: Picked[]): Promise<void> {
    const { screen, server, texts } = this.#parts;
    const isNew = !server.intake;
    screen.note(texts.announcing);
    this.#queue.announce(await server.announce(others));
    this.#queue.supply(others);
    if (isNew) this.#settleIn();
    this.#sender.wake();
  }

  /** From now on a reload leads to this import. */
  #settleIn(): void {
    const { server } = this.#parts;
    history.replaceState(null, "", server.page);
    need<HTMLFormElement>("#cancel").action = `${server.page}cancel/`;
  }

  #count(count: number): void {
    this.#parts.screen.note(fill(this.#parts.texts.reading, { count }));
  }

  #tell(trouble: Trouble | null): void {
    const { screen, texts } = this.#parts;
    screen.trouble(trouble ? texts[`trouble_${trouble}`] : "");
  }

  #complain(problem: unknown): void {
    const { screen, texts } = this.#parts;
    if (problem instanceof Unreadable) screen.note(fill(texts.trouble_unreadable, { path: problem.path }));
    else if (problem instanceof Problem && problem.status === SIGNED_OUT) screen.note(texts.trouble_session);
    else screen.note((problem instanceof Problem && problem.message) || texts.trouble_network);
  }
}
