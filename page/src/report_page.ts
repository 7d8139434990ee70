// A report as the whole page: its views, one at a time.

import type { Report, View } from "./report";
import { h, replaceChildren } from "./ui/dom";
import { frame } from "./ui/frame";
import { currentRoute } from "./ui/route";
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

export function showReport(report: Report, app: HTMLElement): void {
  const made = new Map<string, View>();
  const { main, mark } = frame(
    app,
    views.map(([name, title]) => ({ name, title, badge: name === "findings" && findingsBadge(report) })),
    [{ key: "/", says: "search", run: () => made.get(currentRoute().view)?.search?.focus() }],
    `Written by lockstep ${report.about.version} from ${report.contents.input}. This file holds everything it shows; it loads nothing and sends nothing.`,
  );
  const show = () => {
    const route = currentRoute();
    const [name, title, make] = views.find(([one]) => one === route.view) ?? views[0];
    if (!made.has(name)) made.set(name, make(report));
    const view = made.get(name)!;
    if (main.firstChild !== view.element) {
      replaceChildren(main, view.element);
      scrollTo(0, 0);
    }
    mark(name);
    document.title = `${title} · ${report.findings.findings[0]?.title ?? "nothing wrong found"} · Lockstep`;
    view.arrive?.(route.item, route.query);
  };
  addEventListener("hashchange", show);
  show();
}

function findingsBadge(report: Report): HTMLElement | false {
  const count = report.findings.findings.length;
  return count > 0 && h("span", { class: "badge", "aria-label": `${count} found` }, count);
}
