// All jobs, the newest first.

import type { View } from "../../report";
import { get } from "../../service/api";
import { isOver, nameOf, ownerOf, progressOf, stateWords, workersOf, type Job, type State } from "../../service/jobs";
import { poll, type Poll } from "../../service/poll";
import { h, replaceChildren, visible } from "../../ui/dom";
import { Live } from "../../ui/live";
import { prose } from "../../ui/prose";
import { href } from "../../ui/route";
import { day, plural, took } from "../../ui/words";
import { statePill } from "./state_pill";
import { trouble } from "./trouble";

interface JobPage {
  jobs: Job[];
  next_cursor: string | null;
}

const mostHeadlines = 25; // at each look
const columns = ["State", "Job", "Owner", "Ranks", "Framework", "Submitted", "Took", "What happened"];

export function jobListView(): View {
  const search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the jobs", spellcheck: "false" });
  const state = h("select", { "aria-label": "Which jobs" }, h("option", { value: "" }, "All jobs"),
    (Object.keys(stateWords) as State[]).map((one) => h("option", { value: one }, stateWords[one])));
  const told = h("span", { class: "muted", role: "status" });
  const table = new Live(h("div", { class: "job-list" }));
  const older = h("button", { type: "button", hidden: true }, "Older jobs");
  const list = h("div", {}, h("div", { class: "controls" }, state, search, told, h("a", { class: "button main-action push", href: href("submit") }, "Submit a job")), table.element, h("p", { class: "actions" }, older));
  const element = h("div", { class: "jobs" }, h("h1", { class: "offscreen" }, "Jobs"), h("p", { class: "muted" }, "Asking the service …"));
  let newest: Job[] = [];
  let before: Job[] = []; // pages behind the newest, as they were when they were asked for
  let cursor: string | null = null;
  let watch: Poll | undefined;
  const headlines = new Map<string, string>(); // of the findings of jobs that failed, by their ids

  // What was found in a job that is over does not change: it is asked for once, the jobs in sight first.
  const findHeadlines = async (signal: AbortSignal) => {
    for (const { id } of newest.filter((job) => job.state === "FAILED" && !headlines.has(job.id)).slice(0, mostHeadlines)) {
      headlines.set(id, "");
      const job = await get<Job>(`/v1/jobs/${id}`, signal);
      headlines.set(id, job.diagnosis?.findings[0]?.title ?? "");
      draw();
    }
  };

  const path = (after?: string) => `/v1/jobs?limit=100${state.value ? `&state=${state.value}` : ""}${after ? `&cursor=${after}` : ""}`;
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const known = new Set(newest.map((job) => job.id));
    const all = [...newest, ...before.filter((job) => !known.has(job.id))];
    const fits = all.filter((job) => words.every((word) => textOf(job).includes(word)));
    told.textContent = plural(fits.length, "job");
    older.hidden = cursor === null;
    table.show([fits, isSearched(), fits.map((job) => headlines.get(job.id))], () => (fits.length > 0 ? jobTable(fits, headlines) : nothing(isSearched())));
    for (const job of fits) {
      const cell = isOver(job) ? null : table.element.querySelector(`[data-took="${job.id}"]`);
      if (cell) cell.textContent = took(job.started_at, null);
    }
    if (!element.contains(list)) replaceChildren(element, h("h1", { class: "offscreen" }, "Jobs"), list);
  };
  const isSearched = () => search.value !== "" || state.value !== "";
  const look = async (signal: AbortSignal) => {
    try {
      const page = await get<JobPage>(path(), signal);
      newest = page.jobs;
      if (before.length === 0) cursor = page.next_cursor;
      draw();
      await findHeadlines(signal).catch(() => {}); // the list is whole without them
    } catch (error) {
      if (!signal.aborted) replaceChildren(element, trouble(error));
    }
    return true;
  };
  search.addEventListener("input", draw);
  state.addEventListener("change", () => {
    before = [];
    watch?.now();
  });
  older.addEventListener("click", async () => {
    const page = await get<JobPage>(path(cursor!));
    before.push(...page.jobs);
    cursor = page.next_cursor;
    draw();
  });
  return { element, search, arrive: () => (watch ??= poll(look)), leave: () => (watch?.stop(), (watch = undefined)) };
}

function textOf(job: Job): string {
  return `${job.id} ${nameOf(job)} ${job.reason} ${ownerOf(job)} ${Object.entries(job.request.labels ?? {}).flat().join(" ")}`.toLowerCase();
}

// How far it has come while it runs; once it failed, what was found, and only without that how it ended.
function whatHappened(job: Job, headline?: string): (HTMLElement | string)[] {
  if (job.state === "RUNNING" && progressOf(job)) return [h("span", { class: "progress" }, progressOf(job))];
  if (!headline) return [visible(job.reason)];
  return [h("b", {}, prose(headline)), ...(job.reason && job.reason !== headline ? [h("span", { class: "muted how" }, visible(job.reason))] : [])];
}

function jobTable(jobs: Job[], headlines: Map<string, string>): HTMLElement {
  return h("table", { class: "job-table" },
    h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, jobs.map((job) => h("tr", {},
      h("td", {}, statePill(job.state, job.cancel_asked && !isOver(job))),
      h("th", { scope: "row" }, h("a", { href: href("job", job.id) }, visible(nameOf(job))), h("span", { class: "muted id" }, job.id)),
      h("td", { "data-label": "Owner" }, visible(ownerOf(job))),
      h("td", { "data-label": "Ranks" }, workersOf(job)),
      h("td", { "data-label": "Framework" }, job.resolved.framework?.value ?? "–"),
      h("td", { "data-label": "Submitted" }, h("time", { datetime: job.created_at }, day(job.created_at))),
      h("td", { "data-label": "Took", "data-took": job.id }, took(job.started_at, job.ended_at)),
      h("td", { class: "reason" }, whatHappened(job, headlines.get(job.id)), job.attempts > 1 && h("span", { class: "muted" }, ` (${plural(job.attempts, "attempt")})`))))),
  );
}

function nothing(isSearched: boolean): HTMLElement {
  if (isSearched) return h("p", { class: "muted none" }, "No job fits.");
  return h("div", { class: "empty" }, h("h2", {}, "No jobs yet"),
    h("p", {}, "Pick a script and how many ranks run it: ", h("a", { href: href("submit") }, "submit a job"), ", or in a terminal:"),
    h("pre", { class: "sample" }, "lockstep submit train.py --workers 4"));
}
