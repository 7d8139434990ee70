// Which hosts reach which: rows connect to columns; what is blocked is marked by letter and by colour.

import type { Report } from "../report";
import { h, visible } from "../ui/dom";

const says: Record<string, string> = { x: "blocked", "?": "not known", ".": "open" };

export function hostTable(report: Report): HTMLElement | false {
  const { hosts } = report.contents;
  if (hosts.length === 0) return false;
  const number = (i: number) => h("th", { scope: "col" }, String(i + 1));
  return h(
    "article",
    { class: "finding hosts" },
    h("h2", {}, "Between the hosts"),
    h("p", { class: "explanation" }, "A row connects to the columns; x is blocked, ? not known."),
    h("div", { class: "host-table" },
      h("table", {},
        h("thead", {}, h("tr", {}, h("td"), hosts.map((_, i) => number(i)))),
        h("tbody", {}, hosts.map((row, i) => h("tr", {},
          h("th", { scope: "row" }, `${i + 1}  `, visible(row.hosts)),
          [...row.cells].map((cell, k) => h("td", { class: says[cell]?.replace(" ", "-") ?? "", title: `${i + 1} to ${k + 1}: ${says[cell] ?? "itself"}` }, cell)),
        ))),
      ),
    ),
  );
}
