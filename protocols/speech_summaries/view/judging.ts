// Judge's page: versions of one transcript, each with a native radio group, sources hidden behind numbers.
import { make, need } from "../../../frontend/src/lib/dom.ts";
import { fill, gettext, listed, ngettext } from "../../../frontend/src/lib/i18n.ts";
import type { Scope } from "../../../frontend/src/lib/scope.ts";
import type { ScaleWords, ShownPage, WorkspaceHost } from "../../../frontend/src/trial/contract.ts";
import { digitOf } from "../../../frontend/src/trial/keys.ts";
import { draftOf, type Judged, type JudgePage, type Payload, pageOf, wordsOf } from "./contract.ts";
import { PageMoves } from "./moves.ts";
import { joined } from "./picks.ts";
import { Sound } from "./sound.ts";

interface Version {
  key: string;
  fieldset: HTMLFieldSetElement;
  inputs: HTMLInputElement[];
}

export class Judging {
  readonly #root: HTMLElement;
  readonly #versions: Version[];
  readonly #comment: HTMLTextAreaElement;
  readonly #sound: Sound;
  readonly #moves: PageMoves;

  constructor(root: HTMLElement, page: ShownPage, host: WorkspaceHost, scope: Scope) {
    const draft = draftOf<Judged>(page);
    const words = page.labels.QUALITY;
    this.#root = root;
    this.#versions = (pageOf(page) as JudgePage).versions.map((key, index) =>
      buildVersion(
        key,
        fill(gettext("Version {n}"), { n: index + 1 }),
        joined(wordsOf(page, key)),
        words,
        draft.marks?.[key],
      ),
    );
    need("[data-part=transcript]", root).textContent = joined(wordsOf(page));
    need("[data-part=versions]", root).replaceChildren(
      ...this.#versions.map(({ fieldset }) => make("li", {}, fieldset)),
    );
    this.#comment = need<HTMLTextAreaElement>("[data-part=comment]", root);
    this.#comment.value = draft.comment ?? "";
    this.#sound = new Sound({
      root,
      page,
      host,
      scope,
      plays: draft.listened?.plays ?? 0,
      onPlay: () => this.#moves.changed(),
    });
    this.#moves = new PageMoves({
      root,
      page,
      host,
      scope,
      sound: () => this.#sound,
      answer: () => this.#answer(),
      lacks: () => this.#lacks(),
    });
    this.#wire(page, scope);
    this.#show();
  }

  /** Where the keyboard begins: at the first version without an answer. */
  focus(): void {
    this.#enter(this.#open[0] ?? this.#versions[0]);
  }

  /** On no single choice: there Space would choose it, and here it plays. */
  resume(): void {
    need("[data-part=judging]", this.#root).focus({ preventScroll: true });
  }

  get #open(): Version[] {
    return this.#versions.filter((version) => markOf(version) === undefined);
  }

  get #current(): Version | undefined {
    return this.#versions.find(({ fieldset }) => fieldset.contains(document.activeElement));
  }

  #wire(page: ShownPage, scope: Scope): void {
    scope.listen(need("[data-part=versions]", this.#root), "change", () => this.#changed());
    scope.listen(this.#comment, "input", () => this.#moves.changed());
    page.keys.on(scope, (event) => this.#receive(event));
  }

  #receive({ code, key }: KeyboardEvent): boolean {
    const digit = digitOf(code);
    if (digit !== undefined) return this.#rate(digit);
    const acts: Record<string, () => void> = {
      " ": () => this.#sound.toggle(),
      l: () => this.#sound.toggle(),
      i: () => this.#move(-1),
      k: () => this.#move(1),
    };
    const act = acts[key.toLowerCase()];
    act?.();
    return act !== undefined;
  }

  /** A digit rates the version that has the keyboard, else the first open one, and goes on to the next open one. */
  #rate(digit: number): boolean {
    const version = this.#current ?? this.#open[0];
    const input = version?.inputs.find(({ value }) => Number(value) === digit);
    if (!version || !input) return false;
    input.checked = true;
    this.#changed();
    const after = this.#versions.indexOf(version);
    const next = this.#versions.slice(after + 1).find((each) => markOf(each) === undefined) ?? this.#open[0];
    if (next) this.#enter(next);
    else need("[data-part=finish]", this.#root).focus();
    return true;
  }

  #move(way: 1 | -1): void {
    const at = this.#current ? this.#versions.indexOf(this.#current) + way : 0;
    this.#enter(this.#versions[Math.min(Math.max(at, 0), this.#versions.length - 1)]);
  }

  #enter(version: Version | undefined): void {
    const input = version?.inputs.find(({ checked }) => checked) ?? version?.inputs[0];
    input?.focus({ preventScroll: true });
    version?.fieldset.scrollIntoView({ block: "nearest" });
  }

  #changed(): void {
    this.#show();
    this.#moves.changed();
  }

  #show(): void {
    const of = this.#versions.length;
    const open = this.#open;
    for (const version of this.#versions) {
      const rated = !open.includes(version);
      version.fieldset.classList.toggle("is-done", rated);
      version.fieldset.classList.toggle("is-empty", !rated);
      if (rated) version.fieldset.removeAttribute("aria-invalid");
    }
    const done = of - open.length;
    need("[data-part=rated]", this.#root).textContent = fill(ngettext("{n} of {of} rated", "{n} of {of} rated", done), {
      n: done,
      of,
    });
    need("[data-part=finish]", this.#root).setAttribute("aria-disabled", String(open.length > 0));
    need("[data-part=missing]", this.#root).textContent = "";
  }

  #answer(): Payload {
    const marks = this.#versions.flatMap((version) => {
      const mark = markOf(version);
      return mark === undefined ? [] : [[version.key, mark] as const];
    });
    return { marks: Object.fromEntries(marks), comment: this.#comment.value };
  }

  /** Whether a version is not rated yet, after it was said which. */
  #lacks(): boolean {
    const open = this.#open;
    if (!open.length) return false;
    const numbers = open.map((version) => this.#versions.indexOf(version) + 1);
    for (const { fieldset } of open) fieldset.setAttribute("aria-invalid", "true");
    need("[data-part=missing]", this.#root).textContent = fill(
      ngettext("Please rate version {n}.", "Please rate versions {n}.", open.length),
      { n: listed(numbers) },
    );
    this.#enter(open[0]);
    return true;
  }
}

function markOf({ inputs }: Version): number | undefined {
  const chosen = inputs.find(({ checked }) => checked);
  return chosen && Number(chosen.value);
}

function buildVersion(
  key: string,
  name: string,
  text: string,
  words: ScaleWords | undefined,
  mark: number | undefined,
): Version {
  const anchors = words?.anchors ?? [];
  const inputs = anchors.map(({ value }) =>
    make("input", { type: "radio", class: "fills-label", name: key, value: String(value), autocomplete: "off" }),
  );
  for (const input of inputs) input.checked = Number(input.value) === mark;
  const choices = anchors.map(({ value, label }, index) =>
    make(
      "label",
      { class: "scale__choice" },
      inputs[index] as HTMLInputElement,
      make("span", { class: "scale__value" }, String(value)),
      make("span", { class: "scale__label" }, label),
    ),
  );
  const fieldset = make(
    "fieldset",
    {
      class: "scale scale--horizontal version",
      role: "radiogroup",
      "aria-describedby": `${key}-text`,
      "data-slot": key,
    },
    make("legend", { class: "state-mark" }, name),
    make("p", { class: "version__text", id: `${key}-text` }, text),
    make("div", { class: "scale__choices", lang: words?.language ?? "" }, ...choices),
  );
  return { key, fieldset, inputs };
}
