// HTTP stack of tus-js-client with checksums, a fresh CSRF token and a time limit, and one attempt to send a file by it.
import { DefaultHttpStack, type HttpRequest, type HttpResponse, type HttpStack, Upload } from "tus-js-client";
import type { Scope } from "../lib/scope.ts";
import type { Digested, Hasher } from "./hashing.ts";
import type { Row } from "./queue.ts";

/** Longer than the server waits for a silent sender; a flush of 8 MiB takes a moment on any disk. */
const SILENCE_MS = 45_000;

/** Nothing moved for too long: the network swallows what is sent. */
export class Silence extends Error {}

export interface Wiring {
  /** Digests of the file that this stack sends, from one byte to before another. */
  digest: (start: number, end: number) => Promise<Digested>;
  csrf: () => string;
  scope: Scope;
  silenceMs?: number;
}

export class TusHttpStack implements HttpStack {
  readonly #inner: HttpStack;
  readonly #wiring: Wiring;

  constructor(inner: HttpStack, wiring: Wiring) {
    this.#inner = inner;
    this.#wiring = wiring;
  }

  createRequest(method: string, url: string): HttpRequest {
    return new TusHttpRequest(this.#inner.createRequest(method, url), this.#wiring);
  }

  getName(): string {
    return "CheckedStack";
  }
}

class TusHttpRequest implements HttpRequest {
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
    if (this.#aborted) return new Promise(() => {}); // like an aborted XMLHttpRequest, it never settles
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

const PIECE_BYTES = 8 * 1024 * 1024;

export interface Attempt {
  /** Null when the whole file is there, otherwise what went wrong; an aborted attempt ends too. */
  ended: Promise<unknown>;
  abort(): void;
}

interface Road {
  hasher: Hasher;
  csrf: () => string;
  scope: Scope;
  onMove: () => void;
  /** A piece is on the server's disk: whatever was in the way is not any more. */
  onPiece: () => void;
}

/** One attempt to carry a file to its end by tus: asks where the server has it, and sends pieces from there. */
export function attemptBy({ hasher, csrf, scope, onMove, onPiece }: Road): (row: Row, file: File) => Attempt {
  return (row, file) => {
    const digest = (start: number, end: number) => hasher.of(row.path, file, start, end);
    let resolve: (problem: unknown) => void = () => {};
    const ended = new Promise<unknown>((settle) => {
      resolve = settle;
    });
    const upload = new Upload(file, {
      uploadUrl: row.url,
      chunkSize: PIECE_BYTES,
      retryDelays: null, // the sender asks again, for as long as it takes
      storeFingerprintForResuming: false, // the server's list says where every file goes
      httpStack: new TusHttpStack(new DefaultHttpStack({}), { digest, csrf, scope }),
      onAfterResponse: (request, response) => {
        if (request.getMethod() !== "HEAD" || response.getStatus() !== 200) return;
        row.received = Number(response.getHeader("Upload-Offset"));
      },
      onProgress: (sent) => {
        row.underway = Math.max(0, sent - row.received);
        onMove();
      },
      onChunkComplete: (_size, accepted) => {
        row.received = accepted;
        row.underway = 0;
        onPiece();
        onMove();
      },
      onSuccess: () => resolve(null),
      onError: (problem) => resolve(problem),
    });
    upload.start();
    const abort = () => {
      void upload.abort();
      resolve(new Error("aborted"));
    };
    return { ended, abort };
  };
}
