// One job: its name and state, what can be done with it, and its views.

import type { View } from "../../report";
import { get } from "../../service/api";
import { isOver, nameOf, ownerOf, progressOf, workersOf, type Attempt, type Job, type JobEvent } from "../../service/jobs";
import { poll, type Poll } from "../../service/poll";
import { fetchReport, loadReport } from "../../service/report_of";
import { download } from "../../ui/download";
import { h, replaceChildren, visible } from "../../ui/dom";
import { Live } from "../../ui/live";
import { href } from "../../ui/route";
import { moment, plural, took } from "../../ui/words";
import { performanceView } from "../performance";
import { timelineView } from "../timeline";
import { askToCancel, askToRetry } from "./actions";
import { liveLogs } from "./live_logs";
import { networkTab } from "./network";
import { overview, type Known } from "./overview";
import { jobHref, placesOf } from "./places";
import { reportTab } from "./report_tab";
import { statePill } from "./state_pill";
import { trouble, troubleLine } from "./trouble";

export interface JobView extends View {
  cancel(): void;
  retry(): void;
  follow(): void;
  current(): View | undefined;
}

export function jobView(id: string): JobView {
  const head = new Live(h("div", { class: "job-head" }));
  const place = h("div", { class: "job-part" });
  const element = h("div", { class: "job" }, h("p", { class: "muted" }, "Asking the service …"));
  const glance = overview();
  let job: Job | undefined;
  let events: JobEvent[] = [];
  let attempts: Attempt[] = [];
  let seen: Known["seen"] = { moments: [], sides: [] };
  let watch: Poll | undefined;
  let shown: View | undefined;
  let wanted: [part: string, query: URLSearchParams] = ["", new URLSearchParams()];

  const known = () => job!;
  const parts: Record<string, { title: string; view: View }> = {
    "": { title: "Overview", view: glance },
    logs: { title: "Logs", view: liveLogs(known) },
    timeline: { title: "Timeline", view: reportTab(known, timelineView) },
    performance: { title: "Performance", view: reportTab(known, performanceView) },
    network: { title: "Network", view: networkTab(known) },
  };
  const go = () => {
    const [part, query] = wanted;
    const { view, title } = parts[part] ?? parts[""];
    if (shown !== view) {
      shown?.leave?.();
      replaceChildren(place, view.element);
      shown = view;
    }
    markPart(part);
    document.title = `${title} · ${nameOf(job!)} · Lockstep`;
    view.arrive?.("", query);
  };
  const markPart = (part: string) => {
    for (const link of head.element.querySelectorAll("nav a")) {
      if (link.getAttribute("href") === jobHref(id, part)) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  const draw = () => {
    head.show([job!.state, job!.reason, job!.cancel_asked, job!.started_at, job!.attempts], () => headOf(job!, view));
    const progress = head.element.querySelector(".progress");
    if (progress) progress.textContent = progressOf(job!);
    const clock = head.element.querySelector(".took");
    if (clock) clock.textContent = took(job!.started_at, job!.ended_at);
    glance.show({ job: job!, attempts, events, seen });
    markPart(wanted[0]);
    if (!place.isConnected) {
      replaceChildren(element, head.element, place);
      go();
    }
  };
  // Evidence that is a call of a rank leads to its moment on the timeline, which only the report knows.
  const findMoments = async (signal: AbortSignal) => {
    const isRecorded = job!.diagnosis?.findings.some((finding) => finding.evidence.some((one) => one.file.endsWith(".lockstep")));
    if (!isRecorded) return;
    try {
      const { contents, findings } = await loadReport(id, job!.attempts, placesOf(id, job!.attempts, true), signal);
      const isSame = findings.findings.every((finding, i) => finding.title === job!.diagnosis!.findings[i]?.title);
      if (!isSame) return;
      seen = { moments: contents.moments, sides: contents.sides };
      draw();
    } catch {
      // Without a report the evidence stands there all the same, only without links.
    }
  };
  const look = async (signal: AbortSignal) => {
    try {
      const [now, more] = await Promise.all([get<Job>(`/v1/jobs/${id}`, signal), get<{ events: JobEvent[] }>(`/v1/jobs/${id}/events`, signal)]);
      if (now.attempts > 1) attempts = (await get<{ attempts: Attempt[] }>(`/v1/jobs/${id}/attempts`, signal)).attempts;
      job = now;
      events = more.events;
      draw();
      if (isOver(now)) void findMoments(signal);
      return !isOver(now);
    } catch (error) {
      if (signal.aborted) return false;
      shown?.leave?.();
      shown = undefined;
      replaceChildren(element, trouble(error));
      return true;
    }
  };
  const view: JobView = {
    element,
    current: () => shown,
    cancel: () => job && !isOver(job) && !job.cancel_asked && askToCancel(job, () => watch?.now()),
    retry: () => job && isOver(job) && askToRetry(job),
    follow: () => element.querySelector<HTMLElement>("button[title*='(f)']")?.click(),
    arrive: (item, query) => {
      wanted = [item.split("/")[1] ?? "", query];
      if (place.isConnected) go();
      watch ??= poll(look);
    },
    leave: () => {
      watch?.stop();
      watch = undefined;
      shown?.leave?.();
      shown = undefined;
    },
  };
  return view;
}

function headOf(job: Job, view: JobView): HTMLElement[] {
  const told = h("span", { class: "guilty", role: "status" });
  const save = h("button", { type: "button", title: "The report as one file, to keep or to hand on" }, "Save the report");
  save.addEventListener("click", () => {
    save.disabled = true;
    fetchReport(job.id, job.attempts)
      .then(async (answer) => download(await answer.blob(), `${job.id}.html`), (error) => (told.textContent = troubleLine(error)))
      .finally(() => (save.disabled = false));
  });
  const isEnding = job.cancel_asked && !isOver(job);
  return [
    h("p", { class: "kicker" }, h("a", { href: href("jobs") }, "Jobs"), h("span", { class: "code" }, job.id), h("span", {}, visible(ownerOf(job)))),
    h("div", { class: "title-row" },
      h("h1", {}, visible(nameOf(job))),
      statePill(job.state, isEnding),
      h("span", { class: "controls push" },
        told,
        job.attempts > 0 && save,
        isOver(job)
          ? [job.request.script && h("a", { class: "button", href: href("submit", job.id) }, "Change and run"),
            h("button", { type: "button", title: "Run it again (r)", click: () => view.retry() }, "Retry")]
          : h("button", { type: "button", class: "grave", title: "End the job (c)", disabled: job.cancel_asked, click: () => view.cancel() }, "Cancel"))),
    h("p", { class: "job-line muted" },
      h("span", {}, plural(Number(workersOf(job)) || 0, "rank")),
      h("span", {}, `submitted ${moment(job.created_at)}`),
      job.started_at && h("span", {}, job.ended_at ? "took " : "runs for ", h("span", { class: "took" })),
      job.attempts > 1 && h("span", {}, plural(job.attempts, "attempt")),
      job.state === "RUNNING" && h("span", { class: "progress" }, progressOf(job)),
      job.reason && job.state !== "RUNNING" && h("span", { class: job.state === "FAILED" ? "guilty" : "" }, visible(job.reason))),
    h("nav", { class: "parts", "aria-label": "Of this job" },
      [["", "Overview"], ["logs", "Logs"], ["timeline", "Timeline"], ["performance", "Performance"], ["network", "Network"]].map(([part, title]) => h("a", { href: jobHref(job.id, part) }, title))),
  ];
}
