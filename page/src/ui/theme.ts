// Light, dark, or what the system says. Colours that are drawn on canvases come from the style sheet too.

type Theme = "auto" | "light" | "dark";
const order: Theme[] = ["auto", "light", "dark"];
const listeners = new Set<() => void>();
const system = matchMedia("(prefers-color-scheme: dark)");
let theme: Theme = "auto";

function apply(): void {
  const isDark = theme === "dark" || (theme === "auto" && system.matches);
  document.documentElement.setAttribute("data-theme", isDark ? "dark" : "light");
  listeners.forEach((listener) => listener());
}

system.addEventListener("change", apply);
apply();

export function currentTheme(): Theme {
  return theme;
}

export function nextTheme(): Theme {
  theme = order[(order.indexOf(theme) + 1) % order.length];
  apply();
  return theme;
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
