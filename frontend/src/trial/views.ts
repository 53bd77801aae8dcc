// Loader of protocol views.
import type { ProtocolView } from "./contract.ts";

// A digest over all views, set by build.mjs: their addresses carry no hash of their own, and servers let browsers keep
// static files for a year.
declare const VIEWS_VERSION: string;

/** Loader of protocol views, by the name that the server gave: static/dist/view-<name>.js, beside this bundle. */
export class Views {
  readonly #views = new Map<string, Promise<ProtocolView>>();
  readonly #loaded = new Map<string, ProtocolView>();
  #failures = 0;

  /** The view, once it has been loaded. */
  get(name: string): ProtocolView | undefined {
    return this.#loaded.get(name);
  }

  load(name: string): Promise<ProtocolView> {
    const known = this.#views.get(name);
    if (known) return known;
    const view = import(this.#address(name)) as Promise<ProtocolView>;
    this.#views.set(name, view);
    view.then(
      (loaded) => this.#loaded.set(name, loaded),
      () => {
        this.#failures += 1;
        this.#views.delete(name);
      },
    );
    return view;
  }

  #address(name: string): string {
    if (!/^[a-z0-9_-]+$/.test(name)) throw new Error(`"${name}" is not the name of a view.`);
    const url = new URL(`./view-${name}.js`, import.meta.url);
    url.searchParams.set("v", VIEWS_VERSION);
    // Browsers remember a failed import for the life of the page; another address is asked for anew.
    if (this.#failures) url.searchParams.set("again", String(this.#failures));
    return url.href;
  }
}
