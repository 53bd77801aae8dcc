// Page of a new experiment: files are sent and checked while the form is filled in, and the options of the chosen protocol shown.
import { embedded, need } from "../lib/dom.ts";
import { request } from "../lib/http.ts";
import { gettext } from "../lib/i18n.ts";
import { Scope } from "../lib/scope.ts";
import { UploadController } from "../upload/controller.ts";
import { Screen } from "../upload/screen.ts";
import { type Config, Server } from "../upload/server.ts";
import { wireUpload } from "../upload/wiring.ts";

const POLL_MS = 1000;

const scope = new Scope();
const form = need<HTMLFormElement>("#new-experiment");
const found = need("#found");
const collection = need<HTMLSelectElement>("[name=collection]");

/** Ask what the check has found until it is over; the form then says that this was seen. */
function followCheck(address: string): void {
  const stop = scope.every(POLL_MS, () => void ask());
  const ask = async () => {
    try {
      const headers = { Accept: "text/html" };
      const html = await (await request(`${address}?part=summary`, { headers, signal: scope.signal })).text();
      const fresh = new DOMParser().parseFromString(html, "text/html");
      const state = fresh.querySelector<HTMLElement>("[data-found]")?.dataset.found ?? "";
      if (state !== found.querySelector<HTMLElement>("[data-found]")?.dataset.found)
        found.replaceChildren(...fresh.body.childNodes);
      if (state === "checking") return;
      stop();
      need<HTMLInputElement>("[name=seen]", form).value = state;
    } catch {
      // The server restarts or the network is away; the next round asks again.
    }
  };
  void ask();
}

function openUpload(config: Config): UploadController {
  const screen = new Screen();
  const server = new Server(config, scope);
  const controller = new UploadController({
    config,
    screen,
    server,
    scope,
    address: () => {
      need<HTMLInputElement>("[name=import]", form).value = server.importId;
      return `?import=${server.importId}`;
    },
    whenSubmitted: () => {
      screen.drop.hidden = true;
      need("#sending").hidden = true;
      followCheck(server.page);
    },
  });
  wireUpload(controller, screen, scope);
  void controller.resume();
  return controller;
}

function showOptions(): void {
  const chosen = form.querySelector<HTMLInputElement>("[name=protocol]:checked")?.value;
  for (const section of form.querySelectorAll<HTMLElement>("[data-options-of]"))
    section.toggleAttribute("data-other", section.dataset.optionsOf !== chosen);
}

/** The trial with what the form holds now, unless it is shown already. */
function showTrial(): void {
  const frame = need<HTMLIFrameElement>("[data-trial]");
  const held = new URLSearchParams();
  const chosen = form.querySelector<HTMLInputElement>("[name=protocol]:checked")?.value ?? "";
  for (const [name, value] of new FormData(form)) {
    const told = ["title", "protocol", "language", "label_set"].includes(name) || name.startsWith(`${chosen}-`);
    if (told && typeof value === "string") held.append(name, value);
  }
  const address = `${frame.dataset.trial}?${held}`;
  if (frame.dataset.shown === address) return;
  frame.dataset.shown = address;
  frame.contentWindow?.location.replace(address); // without an entry in the history
}

const config = document.querySelector("#config") ? embedded<Config>("config") : null;
const upload = config ? openUpload(config) : null;
const begun = found.querySelector<HTMLAnchorElement>("[data-found]");
if (begun) followCheck(`${found.dataset.address}`);

const showUpload = () => {
  need("#upload").hidden = collection.value !== "";
};
scope.listen(collection, "change", showUpload);
scope.listen(form, "change", () => {
  showOptions();
  showTrial();
});
scope.listen<SubmitEvent>(form, "submit", (event) => {
  const isSending = upload?.pending && collection.value === "";
  need("#create-reason").textContent = isSending
    ? gettext("The files are still being sent. Wait until they have arrived.")
    : "";
  if (isSending) event.preventDefault();
});
showUpload();
showOptions();
showTrial();
