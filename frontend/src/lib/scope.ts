// Disposal scopes: owners of every listener, timer and observer, and the only module that may create one.

type Cleanup = () => void;

export class Scope {
  readonly #cleanups = new Set<Cleanup>();
  readonly #abort = new AbortController();

  get disposed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Aborts when the scope is disposed; hand it to fetch. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** How much is owned at this moment, for tests that look for leaks. */
  get size(): number {
    return this.#cleanups.size;
  }

  /** Run `cleanup` on disposal (at once if that has happened); the returned function runs it earlier. */
  own(cleanup: Cleanup): Cleanup {
    if (this.disposed) {
      cleanup();
      return () => {};
    }
    const once: Cleanup = () => {
      if (this.#cleanups.delete(once)) cleanup();
    };
    this.#cleanups.add(once);
    return once;
  }

  /** With `capture` also what does not bubble is heard of everything inside, such as the end of a dialog. */
  listen<E extends Event = Event>(
    target: EventTarget,
    type: string,
    handler: (event: E) => void,
    capture = false,
  ): Cleanup {
    if (this.disposed) return () => {};
    const listener = handler as EventListener;
    target.addEventListener(type, listener, { capture });
    return this.own(() => target.removeEventListener(type, listener, { capture }));
  }

  after(milliseconds: number, callback: () => void): Cleanup {
    if (this.disposed) return () => {};
    const timer = setTimeout(() => {
      release();
      callback();
    }, milliseconds);
    const release = this.own(() => clearTimeout(timer));
    return release;
  }

  every(milliseconds: number, callback: () => void): Cleanup {
    if (this.disposed) return () => {};
    const timer = setInterval(callback, milliseconds);
    return this.own(() => clearInterval(timer));
  }

  /** Before the next paint. */
  frame(callback: () => void): Cleanup {
    if (this.disposed) return () => {};
    const handle = requestAnimationFrame(() => {
      release();
      callback();
    });
    const release = this.own(() => cancelAnimationFrame(handle));
    return release;
  }

  observe(observer: { disconnect(): void }): Cleanup {
    return this.own(() => observer.disconnect());
  }

  /** A scope that ends with this one, or earlier. */
  child(): Scope {
    const child = new Scope();
    const release = this.own(() => child.dispose());
    child.own(release);
    return child;
  }

  dispose(): void {
    this.#abort.abort();
    for (const cleanup of [...this.#cleanups].reverse()) cleanup();
  }
}

/** A pause that a click, a connection or disposal can end. A signal without a waiter is kept for the next wait. */
export class WakeSignal {
  #wake: (() => void) | null = null;
  #notified = false;

  /** Wait until notified, or for `milliseconds` if given, or until the scope ends. */
  async wait(scope: Scope, milliseconds?: number): Promise<void> {
    if (!this.#notified) {
      await new Promise<void>((resolve) => {
        const inner = scope.child();
        inner.own(resolve);
        this.#wake = () => inner.dispose();
        if (milliseconds !== undefined) inner.after(milliseconds, this.#wake);
      });
    }
    this.#wake = null;
    this.#notified = false;
  }

  notify(): void {
    this.#notified = true;
    this.#wake?.();
  }
}
