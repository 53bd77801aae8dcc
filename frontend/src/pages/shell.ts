// Shell of every page: the theme switch, menus that close, copy buttons.
import { copyText, REPLACED } from "../lib/dom.ts";
import { gettext } from "../lib/i18n.ts";
import { Scope } from "../lib/scope.ts";
import { chooseTheme, isTheme, storedTheme } from "../lib/theme.ts";

const scope = new Scope();

function wireThemes(): void {
  const buttons = [...document.querySelectorAll<HTMLElement>("[data-theme-choice]")];
  const show = () => {
    const chosen = storedTheme();
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.themeChoice === chosen));
  };
  for (const button of buttons) {
    scope.listen(button, "click", () => {
      const theme = button.dataset.themeChoice;
      if (isTheme(theme)) chooseTheme(theme);
      show();
    });
  }
  show();
}

function wireMenus(): void {
  const close = (except: Node | null) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (!except || !menu.contains(except)) menu.open = false;
  };
  scope.listen<MouseEvent>(document, "click", (event) => close(event.target as Node));
  scope.listen<KeyboardEvent>(document, "keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector<HTMLDetailsElement>("details.menu[open]");
    close(null);
    open?.querySelector("summary")?.focus();
  });
}

/** <button data-copy="the text or #id">: copies it, and says so for two seconds. */
function copySource(button: HTMLElement): { text: string; element: Element | null } {
  const wanted = button.dataset.copy ?? "";
  if (!wanted.startsWith("#")) return { text: wanted, element: button.previousElementSibling };
  const element = document.querySelector(wanted);
  return { text: element?.textContent?.trim() ?? "", element };
}

async function copyFrom(button: HTMLElement): Promise<void> {
  const { text, element } = copySource(button);
  if (!(await copyText(text))) {
    if (element) getSelection()?.selectAllChildren(element); // the person can still press Ctrl+C
    return;
  }
  const copied = gettext("Copied");
  if (button.textContent === copied) return;
  const label = button.textContent ?? "";
  button.textContent = copied;
  scope.after(2000, () => {
    button.textContent = label;
  });
}

/** Heard by the document, because results put new buttons in place of old ones. */
function wireCopyButtons(): void {
  scope.listen<MouseEvent>(document, "click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (button) void copyFrom(button);
  });
}

/** A table wider than its frame can be scrolled with the keyboard; one that fits is no stop on the way through the page. */
function wireScrollers(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  const watch = () => {
    for (const frame of document.querySelectorAll(".table-wrap")) observer.observe(frame);
  };
  watch();
  scope.listen(document, REPLACED, watch);
  scope.observe(observer);
}

wireThemes();
wireMenus();
wireScrollers();
wireCopyButtons();
