// Every attempt of a job that was tried more than once, the last one first.

import type { Attempt } from "../../service/jobs";
import { h, visible } from "../../ui/dom";
import { moment, took } from "../../ui/words";
import { jobHref } from "./places";
import { statePill } from "./state_pill";

export function attemptTable(id: string, attempts: Attempt[]): HTMLElement | false {
  if (attempts.length < 2) return false;
  const place = (attempt: Attempt, view: string, says: string) => h("a", { href: jobHref(id, view, { attempt: attempt.number }), "aria-label": `${says} of attempt ${attempt.number}` }, says);
  return h("section", { class: "card attempts" },
    h("h2", {}, "Attempts"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Attempts" }, h("table", { class: "ranks" },
      h("thead", {}, h("tr", {}, ["Attempt", "State", "Began", "Took", "What happened", "See"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, [...attempts].reverse().map((attempt) => h("tr", {},
        h("th", { scope: "row" }, attempt.number),
        h("td", {}, statePill(attempt.state)),
        h("td", {}, moment(attempt.started_at)),
        h("td", {}, attempt.ended_at ? took(attempt.started_at, attempt.ended_at) : "–"),
        h("td", {}, visible(attempt.reason)),
        h("td", {}, place(attempt, "logs", "Log"), " ", place(attempt, "timeline", "Timeline")))))),
    ));
}
