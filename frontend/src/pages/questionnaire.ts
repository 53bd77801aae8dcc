// Questionnaire: each answer is sent as it is given, kept on this device until the server has it, and handed in together.
import { embedded, need } from "../lib/dom.ts";
import { isFinalError, Problem, requestJson, retrying } from "../lib/http.ts";
import { gettext } from "../lib/i18n.ts";
import { Scope, WakeSignal } from "../lib/scope.ts";
import { type Answer, type Kept, UnsentAnswers } from "../questions/answers.ts";

const TYPING_PAUSE_MS = 400;

interface QuestionsConfig {
  api: string;
  csrf: string;
  /** Under which name unsent answers are kept on this device. */
  kept: string;
  /** What the names of fields begin with. */
  prefix: string;
}

type Control = HTMLInputElement | HTMLTextAreaElement;

const scope = new Scope();
const wakeSignal = new WakeSignal();
const config = embedded<QuestionsConfig>("questions");
const form = need<HTMLFormElement>("#questionnaire");
const pill = need("#save-state");
const note = need("#questions-note");
const unsent = new UnsentAnswers(config.kept, deviceStorage());
let sending: Promise<void> | null = null;

/** A browser may forbid storage altogether; the server then has what there is. */
function deviceStorage(): Kept | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

function controls(question: string): Control[] {
  return [...form.querySelectorAll<Control>(`[name="${CSS.escape(config.prefix + question)}"]`)];
}

function answerTo(question: string): Answer {
  const fields = controls(question);
  const chosen = fields.filter((field) => field instanceof HTMLInputElement && field.checked).map(({ value }) => value);
  switch (fields[0]?.type) {
    case "checkbox":
      return chosen;
    case "radio":
      return chosen[0] ?? "";
    default:
      return fields[0]?.value ?? "";
  }
}

function fillIn(question: string, answer: Answer): void {
  const values = typeof answer === "string" ? [answer] : answer;
  for (const field of controls(question)) {
    if (field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type))
      field.checked = values.includes(field.value);
    else field.value = values[0] ?? "";
  }
}

/** Without a sentence the note stays as it is. Its place is kept when it goes: a page that gets shorter under a press
 * moves what is pressed. */
function show(state: "saved" | "saving" | "kept", text: string, said = note.textContent): void {
  pill.dataset.state = state;
  pill.textContent = text;
  if (note.textContent === said) return;
  note.style.minHeight = `${note.offsetHeight}px`;
  note.textContent = said;
}

function onFailure(error: unknown): void {
  const lost = error instanceof Problem && error.sessionLost;
  show(
    "kept",
    gettext("Not sent yet"),
    lost
      ? gettext(
          "This browser no longer holds your place. Open your link again: your answers are kept here and will be sent.",
        )
      : gettext(
          "The server cannot be reached. Your answers are kept on this device and will be sent when the connection is back.",
        ),
  );
}

async function sendAll(): Promise<void> {
  for (let next = unsent.first; next; next = unsent.first) {
    const [question, value] = next;
    show("saving", gettext("Saving…"));
    const ask = () => requestJson(config.api, { json: { question, value }, csrf: config.csrf, signal: scope.signal });
    // What the server does not take is said beside its field when everything is handed in.
    await retrying(ask, { scope, onFailure, wakeSignal, isFinal: isFinalError }).catch(() => {});
    unsent.settle(question, value);
  }
  show("saved", gettext("Saved"), "");
}

/** Send what waits; while that goes on, more may be added. */
function send(): Promise<void> {
  sending ??= sendAll().finally(() => {
    sending = null;
  });
  return sending;
}

/** Whether it differs from what the server sent: answered before this script ran. */
function isAnswered(field: Control): boolean {
  const chosen = field instanceof HTMLInputElement && ["checkbox", "radio"].includes(field.type);
  return chosen ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
}

function questionOf(field: Control | null): string {
  const name = field?.name ?? "";
  return name.startsWith(config.prefix) ? name.slice(config.prefix.length) : "";
}

function changed(target: EventTarget | null, pauseMs: number): void {
  const question = questionOf(target as Control | null);
  if (!question) return;
  const answer = answerTo(question);
  unsent.put(question, answer); // at once, so that a reload keeps every letter
  show("saving", gettext("Saving…"));
  scope.after(pauseMs, () => {
    if (JSON.stringify(answer) === JSON.stringify(answerTo(question))) void send();
  });
}

for (const field of form.querySelectorAll<Control>("input, textarea")) {
  const question = questionOf(field);
  if (question && isAnswered(field)) unsent.put(question, answerTo(question));
}
for (const [question, answer] of unsent.entries()) fillIn(question, answer);
if (unsent.size) void send();

scope.listen(form, "input", ({ target }) => changed(target, TYPING_PAUSE_MS));
scope.listen(form, "change", ({ target }) => changed(target, 0));
scope.listen(window, "online", () => wakeSignal.notify());
scope.listen(form, "submit", (event) => {
  if (!unsent.size) return;
  event.preventDefault(); // a page that the server does not answer would lose what is shown
  wakeSignal.notify();
  void send().then(() => form.submit());
});
form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
