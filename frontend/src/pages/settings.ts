// Form of an experiment: previews of its texts as participants see them, and the short name that the title gives.
import { request } from "../lib/http.ts";
import { Scope } from "../lib/scope.ts";

const TYPING_PAUSE_MS = 300;
const LONGEST_STEM = 44;

const scope = new Scope();

async function preview(area: HTMLTextAreaElement): Promise<void> {
  const page = document.querySelector<HTMLElement>(`[data-preview-of="${CSS.escape(area.id)}"]`);
  const text = area.value;
  if (!page) return;
  try {
    const csrf = area.form?.querySelector<HTMLInputElement>("[name=csrfmiddlewaretoken]")?.value ?? "";
    const ask = { headers: { Accept: "text/html" }, json: { text }, csrf, signal: scope.signal };
    const html = await (await request(area.dataset.preview ?? "", ask)).text();
    if (text !== area.value) return; // a later text is on its way
    page.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
    page.closest("details")?.toggleAttribute("open", text !== "");
  } catch {
    // The network is away; the next change asks again.
  }
}

for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-preview]")) {
  let typed = 0;
  scope.listen(area, "input", () => {
    const now = ++typed;
    scope.after(TYPING_PAUSE_MS, () => {
      if (now === typed) void preview(area);
    });
  });
}

/** As the server derives it: letters without accents, digits, hyphens. The server numbers it where it is taken. */
function slugOf(title: string): string {
  const plain = title.normalize("NFKD").replace(/[^\w\s-]/g, "");
  const joined = plain
    .trim()
    .toLowerCase()
    .replace(/[-\s]+/g, "-");
  return joined.slice(0, LONGEST_STEM).replace(/^[-_]+|[-_]+$/g, "");
}

const title = document.querySelector<HTMLInputElement>("input[name=title]");
const slug = document.querySelector<HTMLInputElement>("input[name=slug]");
if (title && slug) {
  const show = () => {
    slug.placeholder = slugOf(title.value);
  };
  scope.listen(title, "input", show);
  show();
}
