// Undo and redo, as every editor has them; by the letter and not by its place, because Z and Y change places.
export type WayBack = "undo" | "redo";

export function wayBack(
  stroke: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): WayBack | null {
  if (!(stroke.ctrlKey || stroke.metaKey) || stroke.altKey) return null;
  const letter = stroke.key.toLowerCase();
  if (letter === "z") return stroke.shiftKey ? "redo" : "undo";
  return letter === "y" && !stroke.shiftKey ? "redo" : null;
}
