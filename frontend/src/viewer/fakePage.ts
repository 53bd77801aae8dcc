// Fake page and manifest for tests without a browser; it counts what is left behind.
import { type Manifest, readManifest } from "./remote.ts";

export const RATE = 44_100;
export const DAY = 24 * 3600 * RATE;

const SPECTROGRAM = {
  window: "hann",
  window_samples: 2048,
  step_samples: 256,
  columns: 1024,
  rows: 256,
  levels: 15,
  stored_from: 4,
  statistics: ["max", "mean"],
  mean_from: 3,
  scale: "mel",
  low_hz: 20,
  high_hz: 20_000,
  floor_db: -120,
  ceiling_db: 0,
};

/** The answer as it comes over the wire, with some of it changed. */
export function answerWith(change: Record<string, unknown> = {}) {
  return {
    version: 1,
    state: "ready",
    sample_rate_hz: RATE,
    channels: 1,
    length_samples: DAY,
    ready: [[0, DAY]],
    peaks: { bin_samples: 512, factor: 4, levels: 9 },
    spectrogram: SPECTROGRAM,
    slices: { longest_samples: 441_000 },
    clock: [],
    silences: [],
    ...change,
  };
}

/** The same as the page reads it. */
export function manifestWith(change: Record<string, unknown> = {}): Manifest {
  return readManifest(answerWith(change));
}

export const left = { frames: 0, observers: 0, bitmaps: 0 };

const frames = new Map<number, () => void>();
let lastFrame = 0;

/** A drawing context that draws nothing. */
const pen: unknown = new Proxy(
  {},
  {
    get: (_, name) => {
      if (name === "measureText") return () => ({ width: 40 });
      if (name === "getImageData")
        return (_x: number, _y: number, width: number, height: number) => ({
          data: new Uint8ClampedArray(width * height * 4),
        });
      return () => {};
    },
    set: () => true,
  },
);

/** A page for tests without a browser: just enough of one to mount a viewer, and it counts what is left behind. */
export class FakeElement extends EventTarget {
  readonly tag: string;
  readonly attributes = new Map<string, string>();
  readonly dataset: Record<string, string> = {};
  readonly style = { color: "rgb(1 2 3)", fontFamily: "sans", setProperty: () => {} };
  children: (FakeElement | string)[] = [];
  parent: FakeElement | null = null;
  clientWidth = 1200;
  clientLeft = 0;
  clientHeight = 200;
  width = 0;
  height = 0;
  hidden = false;
  open = false;
  disabled = false;
  value = "";

  readonly classList = {
    toggle: (name: string, on: boolean) => {
      const others = this.className.split(" ").filter((each) => each !== name);
      this.setAttribute("class", [...others, ...(on ? [name] : [])].join(" "));
    },
  };

  constructor(tag: string) {
    super();
    this.tag = tag;
  }

  get className(): string {
    return this.attributes.get("class") ?? "";
  }

  get textContent(): string {
    return this.children.map((child) => (typeof child === "string" ? child : child.textContent)).join("");
  }

  set textContent(text: string) {
    this.children = [text];
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  removeAttribute(name: string): void {
    this.attributes.delete(name);
  }

  append(...children: (FakeElement | string)[]): void {
    for (const child of children) if (typeof child !== "string") child.parent = this;
    this.children.push(...children);
  }

  replaceChildren(...children: (FakeElement | string)[]): void {
    this.children = [];
    this.append(...children);
  }

  remove(): void {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
    this.parent = null;
  }

  /** By tag only, which is all that the keyboard asks for. */
  matches(selector: string): boolean {
    return selector.split(",").some((part) => part.trim().replace(/\[.*\]/, "") === this.tag);
  }

  getContext(): unknown {
    return pen;
  }

  getBoundingClientRect(): object {
    return { left: 0, top: 0, width: this.clientWidth, height: this.clientHeight };
  }

  /** Every element below this one, and itself. */
  *all(): Generator<FakeElement> {
    yield this;
    for (const child of this.children) if (typeof child !== "string") yield* child.all();
  }

  find(className: string): FakeElement {
    for (const element of this.all()) if (element.className.split(" ").includes(className)) return element;
    throw new Error(`There is no .${className}.`);
  }
}

class FakeInput extends FakeElement {
  get type(): string {
    return this.getAttribute("type") ?? "text";
  }
}

class FakeObserver {
  #watching = false;

  observe(): void {
    this.#watching = true;
    left.observers += 1;
  }

  disconnect(): void {
    if (this.#watching) left.observers -= 1;
    this.#watching = false;
  }
}

class FakeCanvas {
  width: number;
  height: number;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
  }

  getContext(): unknown {
    return pen;
  }
}

export function waitForPaint(callback: () => void): number {
  lastFrame += 1;
  frames.set(lastFrame, callback);
  left.frames = frames.size;
  return lastFrame;
}

export function cancelPaint(handle: number): void {
  frames.delete(handle);
  left.frames = frames.size;
}

/** Run what waits for the next paint. */
export function paint(): void {
  const due = [...frames];
  frames.clear();
  for (const [, callback] of due) callback();
  left.frames = frames.size;
}

export function installFakePage(answer: (url: string) => Response): void {
  const make = (tag: string) => (tag === "input" ? new FakeInput(tag) : new FakeElement(tag));
  const bitmap = () => {
    left.bitmaps += 1;
    return { close: () => (left.bitmaps -= 1) };
  };
  Object.assign(globalThis, {
    document: Object.assign(new EventTarget(), {
      createElement: make,
      createElementNS: (_: string, tag: string) => make(tag),
      documentElement: make("html"),
      visibilityState: "visible",
    }),
    window: new EventTarget(),
    HTMLElement: FakeElement,
    HTMLInputElement: FakeInput,
    OffscreenCanvas: FakeCanvas,
    ImageData: class {},
    ResizeObserver: FakeObserver,
    MutationObserver: FakeObserver,
    getComputedStyle: (element: FakeElement) => element.style,
    matchMedia: () => new EventTarget(),
    createImageBitmap: async () => bitmap(),
    fetch: async (url: string, { signal }: { signal: AbortSignal }) => {
      signal.throwIfAborted();
      return answer(url);
    },
  });
}
