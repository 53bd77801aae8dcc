// One clip at a time or all of them in a grid: chosen once, remembered on this device.

export type Mode = "page" | "grid";

const KEY = "earmark-thumbs-mode";
let chosen: Mode | null = null; // where the device remembers nothing

export function rememberedMode(): Mode {
  try {
    return (localStorage.getItem(KEY) ?? chosen) === "grid" ? "grid" : "page";
  } catch {
    return chosen ?? "page";
  }
}

export function rememberMode(mode: Mode): void {
  chosen = mode;
  try {
    localStorage.setItem(KEY, mode);
  } catch {
    // Holds for this page.
  }
}
