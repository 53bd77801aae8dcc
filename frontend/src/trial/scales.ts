// Category-scale view, shared by the protocols without a view of their own: one radio group a scale, best on top, no default.
import { make } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { Json } from "../outbox/events.ts";
import type { ScaleWords, ShownPage, TrialPage, WorkspaceHost } from "./contract.ts";
import { type AnswerForm, type GatedForm, gatedForm } from "./gatedForm.ts";
import { digitOf } from "./keys.ts";

interface Group {
  slot: string;
  scale: string;
  fieldset: HTMLFieldSetElement;
  inputs: HTMLInputElement[];
}

export const clipsAhead = true;

export function open(host: WorkspaceHost, page: ShownPage, scope: Scope): void {
  const autoConfirm = page.options.auto_confirm === true;
  gatedForm(host, page, scope, { mount: (root) => mount(root, page, scope), autoConfirm, ...sequenceOf(page) });
}

/** What is heard before the scales open: the page's sounds in the order of their slots, with silence between, perhaps in several rounds. */
export function sequenceOf({ page, media, options }: TrialPage): Omit<GatedForm, "mount"> {
  const { gap_s = 0, rounds = 1, round_gap_s = gap_s } = options as Record<string, number>;
  const once = Object.keys(media);
  const gaps = once.map((_, place) => (place < once.length - 1 ? gap_s : round_gap_s));
  const slots = Array.from({ length: rounds }, () => once).flat();
  const gapS = Array.from({ length: rounds }, () => gaps).flat();
  return { slots, gapS, ...(typeof page.reference === "string" ? { reference: page.reference } : {}) };
}

function mount(root: HTMLElement, page: ShownPage, scope: Scope): AnswerForm {
  const { slots, ask } = page.page as { slots: string[]; ask: string[] };
  const groups = slots.flatMap((slot) => ask.map((scale) => buildGroup(slot, scale, page.labels[scale])));
  const layout = page.options.layout === "horizontal" ? "scale--horizontal" : "scale--vertical";
  for (const { fieldset } of groups) fieldset.classList.add(layout);
  root.append(...groups.map((group) => group.fieldset));
  const listeners: (() => void)[] = [];
  scope.listen(root, "change", () => {
    for (const listener of listeners) listener();
  });
  page.keys.on(scope, (event) => chooseByDigit(groups, digitOf(event.code)));
  return {
    answer: () => payloadOf(groups),
    onChange: (listener) => void listeners.push(listener),
    show: (payload) => showAnswer(groups, payload),
  };
}

function buildGroup(slot: string, scale: string, words: ScaleWords | undefined): Group {
  const anchors = words?.anchors ?? [];
  const inputs = anchors.map(({ value }) =>
    make("input", {
      type: "radio",
      class: "fills-label",
      name: `${slot}-${scale}`,
      value: String(value),
      autocomplete: "off",
    }),
  );
  const choices = anchors.map(({ value, label }, index) =>
    make(
      "label",
      { class: "scale__choice" },
      inputs[index] as HTMLInputElement,
      make("span", { class: "scale__value" }, String(value)),
      make("span", {}, label),
      make("span", { class: "scale__tick", "aria-hidden": "true" }, "✓"),
    ),
  );
  // Where one word says what to attend to, the page shows it with its sentence above the player.
  const attend = words?.attend && !words.word ? [make("p", { class: "scale__attend" }, words.attend)] : [];
  const fieldset = make(
    "fieldset",
    { class: "scale", lang: words?.language ?? "", "data-scale": scale, "data-slot": slot },
    make("legend", {}, words?.question ?? scale),
    ...attend,
    make("div", { class: "scale__choices" }, ...choices),
  );
  return { slot, scale, fieldset, inputs };
}

/** A digit answers the scale that has the focus, else the first one without an answer, else the last. */
function chooseByDigit(groups: readonly Group[], digit: number | undefined): boolean {
  if (digit === undefined) return false;
  const group =
    groups.find(({ fieldset }) => fieldset.contains(document.activeElement)) ??
    groups.find(({ inputs }) => !inputs.some((input) => input.checked)) ??
    groups.at(-1);
  const input = group?.inputs.find(({ value }) => Number(value) === digit);
  if (!input || input.matches(":disabled")) return false;
  input.checked = true;
  input.focus();
  input.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}

function showAnswer(groups: readonly Group[], payload: Json): void {
  const { marks } = payload as { marks: { slot: string; scale: string; value: number }[] };
  for (const { slot, scale, inputs } of groups) {
    const mark = marks.find((each) => each.slot === slot && each.scale === scale);
    for (const input of inputs) input.checked = Number(input.value) === mark?.value;
  }
}

function payloadOf(groups: readonly Group[]): Json | undefined {
  const marks = groups.map(({ slot, scale, inputs }) => ({
    slot,
    scale,
    value: Number(inputs.find((input) => input.checked)?.value ?? Number.NaN),
  }));
  return marks.length && marks.every((mark) => Number.isFinite(mark.value)) ? { marks } : undefined;
}
