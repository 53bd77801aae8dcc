// The addresses of one sound, relative to its base: manifest, peaks, tiles and slices.
import { Problem, requestJson, Unreachable } from "../lib/http.ts";
import type { Slice } from "../player/schedule.ts";
import { type Manifest, readManifest, type Statistic } from "./contract.ts";

const TIMEOUT_MS = 30_000;
// The page's right to this sound has run out; a fresh address may be had.
const RENEWABLE = [401, 403, 410];

export interface Answer {
  bytes: ArrayBuffer;
  /** False while the recording is still being prepared: ask again later. */
  complete: boolean;
}

export class Remote {
  #base: string;
  readonly #renew: (() => Promise<string>) | undefined;
  #renewing: Promise<string> | null = null;

  /** `renew` gives a fresh base where addresses expire. */
  constructor(base: string, renew?: () => Promise<string>) {
    this.#base = base;
    this.#renew = renew;
  }

  manifest(signal: AbortSignal): Promise<Manifest> {
    return this.#asking(async (base) => readManifest(await requestJson(`${base}manifest/`, { signal })));
  }

  peaks(level: number, start: number, count: number, signal: AbortSignal): Promise<Answer> {
    return this.#answer(`peaks/${level}/?start=${start}&count=${count}`, signal);
  }

  tile(statistic: Statistic, level: number, index: number, signal: AbortSignal): Promise<Answer> {
    return this.#answer(`tiles/${statistic}/${level}/${index}/`, signal);
  }

  async slice(start: number, count: number, signal: AbortSignal): Promise<Slice> {
    return this.#asking(async (base) => {
      const response = await get(`${base}slice/?start=${start}&count=${count}`, signal);
      return {
        bytes: await body(response),
        lead: countIn(response, "Earmark-Lead", 0),
        length: countIn(response, "Earmark-Length", count),
      };
    });
  }

  #answer(path: string, signal: AbortSignal): Promise<Answer> {
    return this.#asking(async (base) => {
      const response = await get(base + path, signal);
      return { bytes: await body(response), complete: response.headers.get("Earmark-Complete") !== "no" };
    });
  }

  /** Ask, and once more under a fresh address when the old one has expired. */
  async #asking<T>(ask: (base: string) => Promise<T>): Promise<T> {
    const base = this.#base;
    try {
      return await ask(base);
    } catch (error) {
      if (!this.#renew || !(error instanceof Problem) || !RENEWABLE.includes(error.status)) throw error;
      if (this.#base === base) await this.#renewed(this.#renew);
      return ask(this.#base);
    }
  }

  async #renewed(renew: () => Promise<string>): Promise<void> {
    this.#renewing ??= renew();
    try {
      this.#base = await this.#renewing;
    } finally {
      this.#renewing = null;
    }
  }
}

function countIn(response: Response, header: string, otherwise: number): number {
  const text = response.headers.get(header);
  return text && /^\d+$/.test(text) ? Number(text) : otherwise;
}

/** Unlike lib/http's request, this lets the browser keep what the server allows it to keep: pictures do not change. */
async function get(url: string, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {
      credentials: "same-origin",
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), signal]),
    });
  } catch (cause) {
    throw new Unreachable("no answer", { cause });
  }
  if (!response.ok) throw new Problem(response.status, {});
  return response;
}

async function body(response: Response): Promise<ArrayBuffer> {
  try {
    return await response.arrayBuffer();
  } catch (cause) {
    throw new Unreachable("the answer was cut short", { cause });
  }
}
