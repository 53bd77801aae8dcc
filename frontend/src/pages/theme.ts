// Theme script: puts the chosen theme on <html> before the first paint; shell.ts holds the switch.
import { storedTheme } from "../lib/theme.ts";

const root = document.documentElement;
const theme = storedTheme();
if (theme !== "system") root.dataset.theme = theme;
root.classList.add("js");
