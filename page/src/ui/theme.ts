// Light, dark, or what the system says. Colours that are drawn on canvases come from the style sheet too.

type Theme = "auto" | "light" | "dark";
const order: Theme[] = ["auto", "light", "dark"];
const listeners = new Set<() => void>();
let theme: Theme = "auto";

export function currentTheme(): Theme {
  return theme;
}

export function nextTheme(): Theme {
  theme = order[(order.indexOf(theme) + 1) % order.length];
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  listeners.forEach((listener) => listener());
  return theme;
}

export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", listener);
  return () => {
    listeners.delete(listener);
    system.removeEventListener("change", listener);
  };
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
