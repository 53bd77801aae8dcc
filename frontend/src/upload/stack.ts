// The requests of tus-js-client with what it leaves out: checksums, a fresh CSRF token, and an end to waiting in vain.
import type { HttpRequest, HttpResponse, HttpStack } from "tus-js-client";
import type { Scope } from "../lib/scope.ts";
import type { Digested } from "./digesting.ts";

/** Longer than the server waits for a silent sender; a flush of 8 MiB takes a moment on any disk. */
export const SILENCE_MS = 45_000;

/** Nothing moved for too long: the network swallows what is sent. */
export class Silence extends Error {}

export interface Wiring {
  /** Digests of the file that this stack sends, from one byte to before another. */
  digest: (start: number, end: number) => Promise<Digested>;
  csrf: () => string;
  scope: Scope;
  silenceMs?: number;
}

export class CheckedStack implements HttpStack {
  readonly #inner: HttpStack;
  readonly #wiring: Wiring;

  constructor(inner: HttpStack, wiring: Wiring) {
    this.#inner = inner;
    this.#wiring = wiring;
  }

  createRequest(method: string, url: string): HttpRequest {
    return new CheckedRequest(this.#inner.createRequest(method, url), this.#wiring);
  }

  getName(): string {
    return "CheckedStack";
  }
}

class CheckedRequest implements HttpRequest {
  readonly #inner: HttpRequest;
  readonly #wiring: Wiring;
  #aborted = false;
  #moved: () => void = () => {};

  constructor(inner: HttpRequest, wiring: Wiring) {
    this.#inner = inner;
    this.#wiring = wiring;
  }

  getMethod(): string {
    return this.#inner.getMethod();
  }

  getURL(): string {
    return this.#inner.getURL();
  }

  setHeader(header: string, value: string): void {
    this.#inner.setHeader(header, value);
  }

  getHeader(header: string): string | undefined {
    return this.#inner.getHeader(header);
  }

  setProgressHandler(handler: (bytesSent: number) => void): void {
    this.#inner.setProgressHandler((bytes) => {
      this.#moved();
      handler(bytes);
    });
  }

  async send(body: unknown = null): Promise<HttpResponse> {
    this.setHeader("X-CSRFToken", this.#wiring.csrf());
    if (body instanceof Blob) await this.#addDigests(body);
    if (this.#aborted) return new Promise(() => {}); // as an aborted XMLHttpRequest: nobody hears of it again
    return this.#watched(this.#inner.send(body));
  }

  abort(): Promise<void> {
    this.#aborted = true;
    return this.#inner.abort();
  }

  getUnderlyingObject(): unknown {
    return this.#inner.getUnderlyingObject();
  }

  async #addDigests(body: Blob): Promise<void> {
    const start = Number(this.getHeader("Upload-Offset") ?? 0);
    const { piece, whole } = await this.#wiring.digest(start, start + body.size);
    if (this.#aborted) return;
    this.setHeader("Upload-Checksum", `sha256 ${piece}`);
    if (whole) this.setHeader("Repr-Digest", `sha-256=:${whole}:`);
  }

  async #watched(answer: Promise<HttpResponse>): Promise<HttpResponse> {
    const patience = this.#wiring.scope.child();
    const silence = new Promise<never>((_, reject) => {
      const giveUp = () => {
        void this.#inner.abort();
        reject(new Silence("no byte moved"));
      };
      let stop = patience.after(this.#wiring.silenceMs ?? SILENCE_MS, giveUp);
      this.#moved = () => {
        stop();
        stop = patience.after(this.#wiring.silenceMs ?? SILENCE_MS, giveUp);
      };
    });
    try {
      return await Promise.race([answer, silence]);
    } finally {
      patience.dispose();
    }
  }
}
