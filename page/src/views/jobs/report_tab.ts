// A view of the report, within a job: it is asked for when somebody looks, and again while the job runs.

import type { Report, View } from "../../report";
import { isOver, type Job } from "../../service/jobs";
import { loadReport } from "../../service/report_of";
import { h, replaceChildren } from "../../ui/dom";
import { moment } from "../../ui/words";
import { placesOf } from "./places";
import { trouble } from "./trouble";

export function reportTab(job: () => Job, make: (report: Report) => View): View {
  const element = h("div", { class: "report-tab" });
  let shown: { attempt: number; isFinal: boolean; view: View } | null = null;
  let asking: AbortController | undefined;

  const load = async (attempt: number, query: URLSearchParams) => {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const isFinal = isOver(job()) || attempt < job().attempts;
    replaceChildren(element, h("p", { class: "muted", role: "status" }, "The service reads the recording …"));
    try {
      const report = await loadReport(job().id, attempt, placesOf(job().id, attempt, true), signal);
      if (signal.aborted) return;
      shown = { attempt, isFinal, view: make(report) };
      const again = h("button", { type: "button", click: () => void load(attempt, query) }, "Look again");
      replaceChildren(element, !isFinal && h("p", { class: "controls as-of" }, h("span", { class: "muted" }, `The job runs; this is how it stood at ${moment(new Date().toISOString())}.`), again), shown.view.element);
      shown.view.arrive?.("", query);
    } catch (error) {
      if (!signal.aborted) replaceChildren(element, trouble(error));
    }
  };
  return {
    element,
    arrive: (_, query) => {
      const attempt = Number(query.get("attempt")) || job().attempts;
      if (attempt < 1) return replaceChildren(element, notStarted());
      if (shown?.attempt === attempt && shown.isFinal) shown.view.arrive?.("", query);
      else void load(attempt, query);
    },
    leave: () => asking?.abort(),
  };
}

function notStarted(): HTMLElement {
  return h("div", { class: "empty" }, h("h2", {}, "Nothing to show yet"), h("p", {}, "The job waits for its turn. Once its ranks run, their times stand here."));
}
