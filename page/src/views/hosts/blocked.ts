// Which hosts reach which: what is blocked is marked by letter and by colour, and tells what decides it.

import type { Contents } from "../../data/contents";
import { h, replaceChildren, visible } from "../../ui/dom";
import { hostGrid } from "./host_grid";

type Rows = Contents["hosts"];

const kinds: Record<string, { text: string; kind: string; says: string }> = {
  x: { text: "x", kind: "blocked", says: "blocked" },
  "?": { text: "?", kind: "not-known", says: "not known" },
  ".": { text: "·", kind: "open", says: "open" },
};
const itself = { text: "", kind: "itself", says: "itself" };

export function blockedMap(rows: Rows): HTMLElement[] {
  const told = h("div", { class: "decides", "aria-live": "polite" }, h("p", { class: "muted" }, "Choose a cell to see what decides it."));
  const kindAt = (from: number, to: number) => kinds[rows[from].cells[to]] ?? itself;
  const firstRow = Math.max(0, rows.findIndex((row) => row.cells.includes("x")));
  return [
    h("p", { class: "explanation" }, "A row connects to the columns; x is blocked, ? not known. Hosts that are alike share a row."),
    hostGrid({
      names: rows.map((row) => row.hosts),
      label: "Which hosts reach which",
      first: [firstRow, Math.max(0, rows[firstRow].cells.indexOf("x"))],
      cellAt: (from, to) => ({ ...kindAt(from, to), says: `${from + 1} to ${to + 1}: ${kindAt(from, to).says}` }),
      tell: (from, to) => replaceChildren(told,
        h("p", {}, h("b", {}, visible(rows[from].hosts)), " to ", h("b", {}, visible(rows[to].hosts)), `: ${kindAt(from, to).says}.`),
        rows[from].why[to] && h("pre", { tabindex: 0 }, visible(rows[from].why[to]))),
    }),
    told,
  ];
}
