// A job at a glance: what was found and how to mend it, its ranks, what was chosen for it and what happened to it.

import type { Contents, Findings } from "../../data/contents";
import { Report, type View } from "../../report";
import type { Attempt, Job, JobEvent } from "../../service/jobs";
import { copyButton } from "../../ui/copy";
import { h, visible } from "../../ui/dom";
import { Live } from "../../ui/live";
import { moment, plural } from "../../ui/words";
import { findingArticle, limitsOf, tell } from "../findings";
import { attemptTable } from "./attempts";
import { placesOf, jobHref } from "./places";
import { rankStates } from "./rank_states";

export interface Known {
  job: Job;
  attempts: Attempt[];
  events: JobEvent[];
  seen: Seen;
}

// What only the report knows of the evidence, once it was read.
export type Seen = Pick<Contents, "moments" | "sides">;

export interface Overview extends View {
  show(known: Known): void;
}

export function overview(): Overview {
  const verdict = new Live(h("div", { class: "verdicts" }));
  const ranks = new Live(h("div", {}));
  const tries = new Live(h("div", {}));
  const before = new Live(h("div", { class: "verdicts" }));
  const choices = new Live(h("section", { class: "card" }));
  const happened = new Live(h("section", { class: "card" }));
  return {
    element: h("div", { class: "findings" },
      h("div", { class: "verdicts" }, verdict.element, ranks.element, tries.element, before.element),
      h("aside", {}, choices.element, happened.element)),
    show: ({ job, attempts, events, seen }) => {
      verdict.show([job.state, job.reason, job.diagnosis, seen], () => verdictOf(job, seen));
      ranks.show(job.last_attempt, () => [job.last_attempt && rankStates(job.last_attempt)]);
      tries.show(attempts, () => [attemptTable(job.id, attempts)]);
      before.show([job.check, job.attempts], () => checkOf(job));
      choices.show([job.request, job.resolved], () => configuration(job));
      happened.show(events, () => eventList(events));
    },
  };
}

// Findings of a job need no recording to be shown; what only a recording has is empty.
function reportOn(job: Job, findings: Findings, { moments, sides }: Seen = { moments: [], sides: [] }): Report {
  const contents: Contents = { schema: "", input: job.id, ranks: [], timeline: null, moments, sides, logs: [], losses: [], steps: [], checksums: null, hosts: [], measures: null, bounds: [] };
  const none = () => Promise.reject(new Error("a job's findings stand alone"));
  const source = { about: none, findings: none, contents: none, spans: none, catalogue: none };
  const known: Findings = { ...findings, job: { ...findings.job, world_size: findings.job.world_size ?? job.last_attempt?.workers } };
  return new Report(source, { version: "" }, known, contents, placesOf(job.id, job.attempts, job.resolved.framework?.value !== "plain"));
}

function verdictOf(job: Job, seen: Seen): HTMLElement[] {
  if (job.diagnosis && job.diagnosis.findings.length > 0) {
    const report = reportOn(job, job.diagnosis, seen);
    const limits = job.diagnosis.limits;
    return [...tell(report, job.diagnosis.findings).stories, ...(limits.length > 0 ? [limitsOf(limits, [])] : [])];
  }
  const logs = h("a", { href: jobHref(job.id, "logs") }, "Its log");
  const says: Record<Job["state"], [string, (string | HTMLElement)[]]> = {
    QUEUED: ["It waits for its turn", ["It starts as soon as the machine has room for all of its ranks at once."]],
    RUNNING: ["It runs", ["Nothing is wrong so far. It is recorded and watched: if it hangs or fails, what happened and how to mend it stands here. ", logs, " is there already."]],
    SUCCEEDED: ["It ended well", ["Every rank ended by itself with status 0. ", logs, " is kept."]],
    FAILED: [`It failed: ${job.reason || "nobody knows why"}`, ["Nothing in what it left behind says more. ", logs, " may."]],
    CANCELLED: ["It was cancelled", [job.reason ? `${job.reason[0].toUpperCase()}${job.reason.slice(1)}. ` : "", logs, " is kept."]],
  };
  const [title, text] = says[job.state];
  const kind = job.state === "SUCCEEDED" ? "finding clear" : job.state === "FAILED" ? "finding first" : "finding";
  return [h("article", { class: kind }, h("h2", { class: "big" }, visible(title)), h("p", {}, text))];
}

function checkOf(job: Job): (HTMLElement | false)[] {
  const found = job.check?.findings ?? [];
  if (found.length === 0) return [false];
  const report = reportOn(job, job.check!);
  return [h("h2", { class: "apart" }, `Before it started, ${plural(found.length, "thing")} stood out`), ...found.map((finding, i) => findingArticle(report, finding, i + 1))];
}

// "cpus_per_worker" as people say it.
const spoken = (name: string) => name.replace(/_/g, " ").replace(/\bworkers?\b/, "rank").replace(/ s$/, " (s)");

function configuration(job: Job): (HTMLElement | false)[] {
  const { script, command, args, directory } = job.request;
  const line = script ? [script, ...(args ?? [])].join(" ") : (command ?? []).join(" ");
  const others = Object.entries(job.request).filter(([name]) => !["script", "command", "args", "workers", "directory", "labels"].includes(name));
  const labels = Object.entries(job.request.labels ?? {});
  return [
    h("h2", {}, "Configuration"),
    h("dl", { class: "choices" },
      h("dt", {}, script ? "script" : "command", copyButton(line, "it")), h("dd", {}, visible(line)),
      directory && [h("dt", {}, "directory"), h("dd", {}, visible(directory))],
      others.map(([name, value]) => [h("dt", {}, spoken(name)), h("dd", {}, visible(typeof value === "object" ? JSON.stringify(value) : String(value)))]).flat(),
      Object.entries(job.resolved).map(([name, choice]) => [h("dt", {}, spoken(name)), h("dd", {}, visible(choice.value), h("span", { class: "why" }, visible(choice.reason)))]).flat(),
      labels.map(([name, value]) => [h("dt", {}, visible(name)), h("dd", {}, name === "retry_of" ? h("a", { href: jobHref(value) }, visible(value)) : visible(value))]).flat()),
  ];
}

function eventList(events: JobEvent[]): (HTMLElement | false)[] {
  return [
    h("h2", {}, "What happened"),
    h("ol", { class: "events" }, events.map((event) => h("li", {}, h("time", { datetime: event.at }, moment(event.at)), h("span", {}, h("b", {}, visible(event.kind)), event.detail && ` ${visible(event.detail)}`)))),
  ];
}

