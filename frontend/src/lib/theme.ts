// Theme chosen on this device. "system" means no choice, and is not stored.

const THEMES = ["system", "light", "dark", "dim"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "earmark-theme";

export function isTheme(value: unknown): value is Theme {
  return THEMES.includes(value as Theme);
}

export function storedTheme(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return isTheme(value) ? value : "system";
  } catch {
    return "system"; // storage can be switched off; the page still opens
  }
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Not remembered, but chosen for this page.
  }
}
