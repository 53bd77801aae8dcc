// DOM functions: elements that must exist, elements made without markup, data embedded by Django.

/** The one element that matches, or an error that names the selector a template has lost. */
export function need<E extends Element = HTMLElement>(selector: string, root: ParentNode = document): E {
  const found = root.querySelector<E>(selector);
  if (!found) throw new Error(`The page lacks ${selector}.`);
  return found;
}

/** Make an element with attributes and children; text becomes text, never markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** What Django's json_script put into the page under this id. */
export function embedded<T>(id: string): T {
  return JSON.parse(need(`#${id}`).textContent ?? "null") as T;
}

/** Copy to the clipboard, or tell that it cannot be done (plain http, refused permission). */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** What a page tells the document when it has put new markup of the server's in place of old. */
export const REPLACED = "earmark-replaced";
