// Which hosts reach which: rows connect to columns; what is blocked is marked by letter and by colour, and tells what
// decides it.

import type { Report } from "../report";
import { h, replaceChildren, visible } from "../ui/dom";

const says: Record<string, string> = { x: "blocked", "?": "not known", ".": "open" };

export function hostTable(report: Report): HTMLElement | false {
  const { hosts } = report.contents;
  if (hosts.length === 0) return false;
  const told = h("div", { class: "decides", "aria-live": "polite" }, h("p", { class: "muted" }, "Choose a blocked cell to see what decides it."));
  const tell = (from: number, to: number, why: string) => replaceChildren(told,
    h("p", {}, h("b", {}, visible(hosts[from].hosts)), " to ", h("b", {}, visible(hosts[to].hosts)), " is blocked."),
    h("pre", { tabindex: 0 }, visible(why)));
  const cellOf = (cell: string, from: number, to: number) => {
    const title = `${from + 1} to ${to + 1}: ${says[cell] ?? "itself"}`;
    const why = hosts[from].why[to];
    return h("td", { class: says[cell]?.replace(" ", "-") ?? "", title },
      why ? h("button", { type: "button", "aria-label": title, click: () => tell(from, to, why) }, cell) : cell);
  };
  return h(
    "article",
    { class: "finding hosts" },
    h("h2", {}, "Between the hosts"),
    h("p", { class: "explanation" }, "A row connects to the columns; x is blocked, ? not known."),
    h("div", { class: "host-table", tabindex: 0, role: "region", "aria-label": "Which hosts reach which" },
      h("table", {},
        h("thead", {}, h("tr", {}, h("td"), hosts.map((_, i) => h("th", { scope: "col" }, String(i + 1))))),
        h("tbody", {}, hosts.map((row, from) => h("tr", {},
          h("th", { scope: "row" }, `${from + 1}  `, visible(row.hosts)),
          [...row.cells].map((cell, to) => cellOf(cell, from, to)),
        ))),
      ),
    ),
    hosts.some((row) => Object.keys(row.why).length > 0) && told,
  );
}
