// Ending a job, and handing it in once more.

import { post } from "../../service/api";
import { nameOf, type Job } from "../../service/jobs";
import { question } from "../../ui/dialog";
import { h } from "../../ui/dom";
import { jobHref } from "./places";
import { troubleLine } from "./trouble";

export function askToCancel(job: Job, done: () => void): void {
  question({
    title: "End this job?",
    text: `All ranks of ${nameOf(job)} are told to end, and are ended some seconds later if they do not. What they printed stays.`,
    does: "End it",
    isGrave: true,
    run: async () => {
      await post(`/v1/jobs/${job.id}/cancel`);
      done();
    },
    says: troubleLine,
  });
}

export function askToRetry(job: Job): void {
  const names = (job.resolved.environment?.value ?? "").split(" ").filter(Boolean);
  const fields = names.map((name) => h("input", { type: "text", id: `retry-${name}`, autocomplete: "off", spellcheck: "false" }));
  question({
    title: "Run this job once more?",
    text: names.length === 0
      ? "A new job is made with the same script and the same wishes."
      : "A new job is made with the same script and the same wishes. The values of its variables were forgotten when it ended: give those that the new one shall have, and leave the others empty.",
    fields: names.length === 0 ? [] : [h("div", { class: "variables" }, names.map((name, i) => [h("label", { for: `retry-${name}` }, name), fields[i]]).flat())],
    does: "Run it again",
    run: async () => {
      const given = names.map((name, i) => [name, fields[i].value]).filter(([, value]) => value !== "");
      const again = await post<Job>(`/v1/jobs/${job.id}/retry`, names.length === 0 ? undefined : { environment: Object.fromEntries(given) });
      location.hash = jobHref(again.id);
    },
    says: troubleLine,
  });
}
