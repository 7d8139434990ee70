// Ranks across, collectives down: a square for each result, those that differ from most in another colour.

import type { Contents } from "../data/contents";
import type { Report } from "../report";
import { h } from "../ui/dom";
import { count, plural } from "../ui/words";

const mostRanks = 128;

export function checksumPlot(report: Report, map: NonNullable<Contents["checksums"]>): HTMLElement {
  const ranks = report.contents.ranks.map((rank) => rank.rank);
  // Ranks that differ anywhere first, where there are too many to show.
  const order = ranks.map((_, i) => i);
  if (ranks.length > mostRanks) {
    const differs = (i: number) => map.rows.some((row) => row.results[i] > 1);
    order.sort((a, b) => Number(differs(b)) - Number(differs(a)) || a - b);
  }
  const shown = order.slice(0, mostRanks);
  const says = map.parted === 0
    ? `${plural(map.compared, "collective")} gave every rank the same result.`
    : `${count(map.parted)} of ${count(map.compared)} collectives gave different results; the first ones are shown.`;
  return h("div", {}, h("p", {}, says),
    map.parted > 0 && h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Checksums by collective and rank" },
      h("table", { class: "checksums" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "collective"), shown.map((i) => h("th", { scope: "col" }, ranks[i])))),
        h("tbody", {}, map.rows.map((row) => h("tr", {}, h("th", { scope: "row" }, `${row.group} #${row.sequence}`), shown.map((i) => {
          const result = row.results[i];
          return h("td", { class: result === 0 ? "none" : result === 1 ? "same" : "odd", title: `rank ${ranks[i]}` }, result === 0 ? "" : result === 1 ? "=" : "≠");
        })))))));
}
