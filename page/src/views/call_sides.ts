// The sides of a finding beside each other: who called what, and the lines of the script that did.

import type { CallSide, Finding } from "../data/contents";
import type { Report } from "../report";
import { h, visible } from "../ui/dom";
import { rankWord } from "../ui/words";

export function callSides(report: Report, finding: Finding, index: number): HTMLElement | false {
  const sides = report.contents.sides.find((one) => one.finding === index)?.sides ?? [];
  const isOfUse = sides.length > 1 || sides.some((side) => side.lines.length > 0);
  if (!isOfUse) return false;
  const roots = new Set(finding.root_ranks);
  return h("div", { class: "call-sides" }, sides.map((side) => oneSide(side, side.ranks.every((rank) => roots.has(rank)))));
}

function oneSide(side: CallSide, isGuilty: boolean): HTMLElement {
  const [name, ...shape] = side.call.split(" of ");
  return h("figure", { class: isGuilty ? "guilty" : "" },
    h("figcaption", {},
      h("b", {}, `${isGuilty ? "▶ " : ""}${rankWord(side.ranks)}`), " called ", h("code", {}, visible(name || "a collective")), shape.length > 0 && ` of ${visible(shape.join(" of "))}`,
      side.site && h("span", { class: "site" }, visible(side.site))),
    side.lines.length > 0 && snippet(side));
}

function snippet(side: CallSide): HTMLElement {
  const last = String(side.first_line + side.lines.length - 1);
  return h("pre", { tabindex: 0 }, side.lines.map((line, i) => {
    const number = side.first_line + i;
    return h("span", { class: number === side.called_line ? "called" : "" }, h("i", {}, String(number).padStart(last.length)), visible(line) || " ");
  }));
}
