// Page of one sound: [data-sound="<base address>"] becomes a viewer that has the keyboard of the whole page.
import { Scope } from "../lib/scope.ts";
import { mountViewer } from "../viewer/viewer.ts";

const scope = new Scope();
for (const root of document.querySelectorAll<HTMLElement>("[data-sound]"))
  mountViewer(root, { base: root.dataset.sound ?? "", scope, keysOn: document });
