// Where files are handed in: brings together what was dropped, what the server knows, the sender and the screen.
import { fill, need } from "../lib/dom.ts";
import { Problem } from "../lib/http.ts";
import { Alarm, type Scope } from "../lib/scope.ts";
import { isRefusal, retrying } from "../trial/retry.ts";
import { type Collected, fromEntries, fromHandles, type Handle, type Picked } from "./entries.ts";
import type { Trouble } from "./fate.ts";
import { forgetHandles, permitted, recall, remember } from "./handles.ts";
import { Hasher } from "./hasher.ts";
import type { Screen } from "./screen.ts";
import { Sender } from "./sender.ts";
import type { Config, Server } from "./server.ts";
import { Shipment } from "./shipment.ts";
import type { Texts } from "./texts.ts";
import { attemptBy } from "./transport.ts";

const DRAWN_EVERY_MS = 250;

export interface DeskParts {
  config: Config;
  texts: Texts;
  screen: Screen;
  server: Server;
  scope: Scope;
}

export class Desk {
  readonly #parts: DeskParts;
  readonly #shipment = new Shipment();
  readonly #sender: Sender;
  readonly #alarm = new Alarm();
  #handles: Handle[] = [];
  #changed = false;

  constructor(parts: DeskParts) {
    const { config, scope, server, texts } = parts;
    this.#parts = parts;
    const hasher = new Hasher(config.hashing_url, scope);
    const onMove = () => {
      this.#changed = true;
    };
    this.#sender = new Sender({
      shipment: this.#shipment,
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
    const { done, files, absent } = this.#shipment.totals();
    return done + absent < files && !this.#handles.length;
  }

  draw(): void {
    this.#changed = false;
    this.#parts.screen.show(this.#shipment, { paused: this.#sender.paused, now: performance.now() });
  }

  wake(): void {
    this.#alarm.ring();
    this.#sender.wake();
  }

  /** An import that was begun before: show what is there, and go on by oneself where the browser lets us. */
  async resume(): Promise<void> {
    const { scope, server, screen } = this.#parts;
    if (!server.intake) return;
    const listed = await retrying(() => server.list(), {
      scope,
      alarm: this.#alarm,
      isFinal: isRefusal,
      onFailure: () => this.#tell("network"),
    });
    this.#tell(null);
    this.#shipment.announce(listed);
    this.draw();
    this.#handles = await recall(server.intake);
    screen.reopen.hidden = !this.#handles.length;
    await this.reopen(false);
  }

  /** Read the remembered folders again; with a click behind it, the browser may be asked for permission. */
  async reopen(ask: boolean): Promise<void> {
    if (!this.#shipment.totals().absent) return;
    const open = await permitted(this.#handles, ask);
    if (open.length) await this.take(await fromHandles(open, (count) => this.#count(count)));
  }

  async takeDrop(entries: FileSystemEntry[], handles: Promise<Handle[]>): Promise<void> {
    const collected = await fromEntries(entries, (count) => this.#count(count));
    await this.take(collected, await handles);
  }

  async takeHandles(handles: Handle[]): Promise<void> {
    await this.take(await fromHandles(handles, (count) => this.#count(count)), handles);
  }

  /** Send what was chosen: what the import waits for goes on, the rest is added to it. */
  async take({ files, ignored }: Collected, handles: Handle[] = []): Promise<void> {
    const { screen, server, texts } = this.#parts;
    screen.note(files.length ? "" : texts.trouble_nothing);
    const { changed, others } = this.#shipment.supply(files);
    const [first] = changed;
    if (first) screen.note(fill(texts.trouble_changed, { path: first.path }));
    if (others.length && !(await this.#announce(others))) return;
    this.#handles = [...this.#handles, ...handles];
    await remember(server.intake, handles);
    if (ignored && !first) screen.note(fill(texts.ignored, { count: ignored }));
    this.draw();
    this.#sender.wake();
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
    const row = this.#shipment.rows.find((one) => one.path === path);
    if (!row || row.state === "sending") return;
    try {
      await this.#parts.server.forget(row);
      this.#shipment.remove(row);
    } catch {
      this.#tell("network");
    }
    this.draw();
  }

  /** Everything is there: have it looked at. */
  async seal(): Promise<void> {
    const { screen, server } = this.#parts;
    screen.seal.disabled = true;
    try {
      await server.seal(this.#shipment.rows);
      await forgetHandles(server.intake);
      location.reload();
    } catch (problem) {
      this.#complain(problem);
      screen.seal.disabled = false;
    }
  }

  async #announce(others: Picked[]): Promise<boolean> {
    const { screen, server, texts } = this.#parts;
    const isNew = !server.intake;
    screen.note(texts.announcing);
    try {
      this.#shipment.announce(await server.announce(others));
    } catch (problem) {
      this.#complain(problem);
      return false;
    }
    screen.note(isNew ? "" : fill(texts.trouble_unknown, { count: others.length }));
    this.#shipment.supply(others);
    if (isNew) this.#settleIn();
    return true;
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
    const said = problem instanceof Problem && !problem.sessionLost ? problem.message : "";
    const session = problem instanceof Problem && problem.sessionLost ? texts.trouble_session : texts.trouble_network;
    screen.note(said || session);
  }
}
