// The hosts of a job and what lies between them: what is blocked, and how long packets took where they were measured.

import type { Contents } from "../../data/contents";
import { h, replaceChildren } from "../../ui/dom";
import { blockedMap } from "./blocked";
import { figuresIn, measuredMap } from "./measured";

export type Hosts = Pick<Contents, "hosts" | "measures">;

export function betweenHosts({ hosts, measures }: Hosts): HTMLElement | false {
  const maps: [title: string, make: () => HTMLElement[]][] = [];
  if (hosts.length > 0) maps.push(["Blocked", () => blockedMap(hosts)]);
  if (measures) {
    if (hosts.length === 0) maps.push(["Blocked", nothingBlocked]);
    const { latency, bandwidth } = figuresIn(measures);
    maps.push(["Latency", () => measuredMap(measures, latency)], ["Bandwidth", () => measuredMap(measures, bandwidth)]);
  }
  if (maps.length === 0) return false;

  const place = h("div", { class: "host-map" });
  const buttons = maps.map(([title, make]) => h("button", { type: "button", click: () => show(title, make) }, title));
  const show = (title: string, make: () => HTMLElement[]) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.textContent === title));
    replaceChildren(place, make());
  };
  show(...(hosts.length === 0 ? maps[1] : maps[0]));
  return h("article", { class: "finding hosts" },
    h("div", { class: "title-row" }, h("h2", {}, "Between the hosts"),
      maps.length > 1 && h("div", { class: "controls push", role: "group", "aria-label": "What the map shows" }, buttons)),
    place);
}

function nothingBlocked(): HTMLElement[] {
  return [h("p", { class: "explanation" }, "Nothing is blocked: no rule and no route keeps a connection from coming about that the job needs.")];
}
