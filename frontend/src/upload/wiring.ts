// Wiring of a page that sends files: drops, pickers, buttons, and the ways in which it can be left.
import { need } from "../lib/dom.ts";
import type { Scope } from "../lib/scope.ts";
import type { UploadController } from "./controller.ts";
import { type Handle, openDrop } from "./droppedFiles.ts";
import type { Screen } from "./screen.ts";

type Pickers = typeof window & { showDirectoryPicker?: (wish: { mode: "read" }) => Promise<Handle> };

function wireDrops(controller: UploadController, screen: Screen, scope: Scope): void {
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  let depth = 0; // entering a child is told before leaving its parent
  const mark = (change: number) => {
    depth = Math.max(0, depth + change);
    screen.drop.toggleAttribute("data-over", depth > 0);
  };
  scope.listen<DragEvent>(document, "dragenter", (event) => holdsFiles(event) && mark(1));
  scope.listen<DragEvent>(document, "dragleave", (event) => holdsFiles(event) && mark(-1));
  scope.listen<DragEvent>(document, "dragover", (event) => holdsFiles(event) && event.preventDefault());
  scope.listen<DragEvent>(document, "drop", (event) => {
    if (!event.dataTransfer || !holdsFiles(event)) return;
    event.preventDefault();
    mark(-depth);
    const { entries, handles } = openDrop(event.dataTransfer);
    void controller.takeDrop(entries, handles);
  });
}

function wirePickers(controller: UploadController, screen: Screen, scope: Scope): void {
  const pickers = window as Pickers;
  scope.listen(screen.chooseFolder, "click", async () => {
    if (!pickers.showDirectoryPicker) {
      screen.folderInput.click();
      return;
    }
    try {
      const folder = await pickers.showDirectoryPicker({ mode: "read" });
      void controller.takeHandles([folder]);
    } catch (problem) {
      if ((problem as Error).name !== "AbortError") screen.folderInput.click(); // the older way, where a policy forbids it
    }
  });
  scope.listen(screen.chooseFiles, "click", () => screen.filesInput.click());
  for (const input of [screen.folderInput, screen.filesInput]) {
    const take = () => {
      void controller.takeFiles(input.files ?? []);
      input.value = ""; // the same choice again is a change again
    };
    scope.listen(input, "change", take);
    if (input.files?.length) take(); // chosen before this script ran
  }
  screen.chooseFolder.disabled = false;
  screen.chooseFiles.disabled = false;
}

function wireButtons(controller: UploadController, screen: Screen, scope: Scope): void {
  scope.listen(screen.pause, "click", () => controller.togglePause());
  scope.listen(screen.submit, "click", () => void controller.submit());
  scope.listen(screen.reopen, "click", () => void controller.reopen({ ask: true }));
  scope.listen<MouseEvent>(screen.table, "click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-remove]");
    if (button?.dataset.remove) void controller.remove(button.dataset.remove);
  });
}

export function wireUpload(controller: UploadController, screen: Screen, scope: Scope): void {
  wireDrops(controller, screen, scope);
  wirePickers(controller, screen, scope);
  wireButtons(controller, screen, scope);
  scope.listen(window, "online", () => controller.wake());
  let leaving = false; // on purpose: the import is cancelled
  scope.listen(need("#cancel"), "submit", () => {
    leaving = true;
  });
  scope.listen<BeforeUnloadEvent>(
    window,
    "beforeunload",
    (event) => controller.wouldLose && !leaving && event.preventDefault(),
  );
  scope.listen<PageTransitionEvent>(window, "pageshow", (event) => event.persisted && location.reload());
}
