// What surrounds every view: the bar with its tabs, the theme, the keys and their help.

import { h, replaceChildren } from "./dom";
import { helpDialog, listen, type Key } from "./keys";
import { href } from "./route";
import { currentTheme, nextTheme } from "./theme";

export interface Tab {
  name: string;
  title: string;
  badge?: HTMLElement | false;
}

export interface Frame {
  main: HTMLElement;
  mark(name: string): void; // the tab that is shown
}

export function frame(app: HTMLElement, tabs: Tab[], ownKeys: Key[], footer: string): Frame {
  const main = h("main", { id: "main", tabindex: -1 });
  const links = tabs.map((tab, i) => h("a", { href: href(tab.name), "aria-keyshortcuts": i + 1 }, tab.title, tab.badge));
  const themeIcon = h("i", { class: "theme-icon", "aria-hidden": "true" });
  const themeButton = h("button", { type: "button", class: "quiet theme" }, themeIcon, h("span", {}, "Theme"));
  const showTheme = () => {
    const says = { auto: "as the system", light: "light", dark: "dark" }[currentTheme()];
    themeIcon.className = `theme-icon ${currentTheme()}`;
    themeButton.setAttribute("aria-label", `Theme: ${says}`);
    themeButton.title = `Theme: ${says}. Click for light, dark or as the system (t)`;
  };
  const changeTheme = () => {
    nextTheme();
    showTheme();
  };
  themeButton.addEventListener("click", changeTheme);
  showTheme();
  const keys: Key[] = [
    ...tabs.map((tab, i): Key => ({ key: String(i + 1), says: tab.title, run: () => (location.hash = href(tab.name)) })),
    ...ownKeys,
    { key: "t", says: "light, dark, or as the system", run: changeTheme },
    { key: "?", says: "this help", run: () => help.showModal() },
  ];
  const help = helpDialog(keys);
  listen(keys);
  replaceChildren(
    app,
    h("a", { class: "skip", href: "#main", click: (event: Event) => (event.preventDefault(), main.focus()) }, "Skip to the content"),
    h(
      "header",
      { class: "bar" },
      h("span", { class: "mark", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      h("strong", {}, "Lockstep"),
      h("nav", { "aria-label": "Views" }, links),
      h("span", { class: "tools" },
        themeButton,
        h("button", { type: "button", class: "quiet", title: "Keys (?)", "aria-label": "Keys", click: () => help.showModal() }, "?"),
      ),
    ),
    main,
    h("footer", {}, footer),
    help,
  );
  return {
    main,
    mark: (name) => links.forEach((link, i) => (tabs[i].name === name ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current"))),
  };
}
