// The shell: loads the data, shows one view at a time, and listens to keys.

import { embedded } from "./data/embedded";
import { Report, type View } from "./report";
import { h, replaceChildren } from "./ui/dom";
import { helpDialog, listen, type Key } from "./ui/keys";
import { currentRoute, href } from "./ui/route";
import { currentTheme, nextTheme } from "./ui/theme";
import { catalogueView } from "./views/catalogue";
import { findingsView } from "./views/findings";
import { logsView } from "./views/logs";
import { performanceView } from "./views/performance";
import { timelineView } from "./views/timeline";

const views: [name: string, title: string, make: (report: Report) => View][] = [
  ["findings", "Findings", findingsView],
  ["timeline", "Timeline", timelineView],
  ["logs", "Logs", logsView],
  ["performance", "Performance", performanceView],
  ["catalogue", "Catalogue", catalogueView],
];

function start(report: Report, app: HTMLElement): void {
  const made = new Map<string, View>();
  const main = h("main", { id: "main", tabindex: -1 });
  const links = views.map(([name, title], i) =>
    h("a", { href: href(name), "aria-keyshortcuts": i + 1 }, title, name === "findings" && findingsBadge(report)),
  );
  const themeButton = h("button", { type: "button", class: "quiet", title: "Light, dark or as the system (t)" });
  const showTheme = () => (themeButton.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[currentTheme()]);
  const changeTheme = () => {
    nextTheme();
    showTheme();
  };
  themeButton.addEventListener("click", changeTheme);
  showTheme();

  const keys: Key[] = [
    ...views.map(([name, title], i): Key => ({ key: String(i + 1), says: title, run: () => (location.hash = href(name)) })),
    { key: "/", says: "search", run: () => made.get(currentRoute().view)?.search?.focus() },
    { key: "t", says: "light, dark, or as the system", run: changeTheme },
    { key: "?", says: "this help", run: () => help.showModal() },
  ];
  const help = helpDialog(keys);
  listen(keys);

  const show = () => {
    const route = currentRoute();
    const index = Math.max(0, views.findIndex(([name]) => name === route.view));
    const [name, title, make] = views[index];
    if (!made.has(name)) made.set(name, make(report));
    const view = made.get(name)!;
    if (main.firstChild !== view.element) {
      replaceChildren(main, view.element);
      scrollTo(0, 0);
    }
    links.forEach((link, i) => (i === index ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current")));
    document.title = `${title} · ${report.findings.findings[0]?.title ?? "nothing wrong found"} · Lockstep`;
    view.arrive?.(route.item, route.query);
  };
  addEventListener("hashchange", show);

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
    h("footer", {}, `Written by lockstep ${report.about.version} from ${report.contents.input}. This file holds everything it shows; it loads nothing and sends nothing.`),
    help,
  );
  show();
}

function findingsBadge(report: Report): HTMLElement | false {
  const count = report.findings.findings.length;
  return count > 0 && h("span", { class: "badge", "aria-label": `${count} found` }, count);
}

function fail(app: HTMLElement, error: unknown): void {
  replaceChildren(
    app,
    h(
      "main",
      { class: "empty" },
      h("h1", {}, "This report cannot be shown"),
      h("p", {}, error instanceof Error ? error.message : String(error)),
      h("p", {}, "Write it again with ", h("code", {}, "lockstep report RECORDING -o report.html"), ", and open it in a browser of 2023 or later."),
    ),
  );
}

const app = document.getElementById("app")!;
Report.load(embedded).then((report) => start(report, app)).catch((error) => fail(app, error));
