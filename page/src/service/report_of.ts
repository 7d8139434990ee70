// The report of an attempt, as the service makes it when it is asked for.

import { blocksIn, reportIn } from "../data/embedded";
import { Report, type Places } from "../report";
import { ask } from "./api";

const pauseMs = 400;

export async function fetchReport(job: string, attempt: number, signal?: AbortSignal): Promise<Response> {
  for (;;) {
    const answer = await ask(`/v1/jobs/${job}/report?attempt=${attempt}`, { signal });
    if (answer.status !== 202) return answer;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

export async function loadReport(job: string, attempt: number, places: Places, signal?: AbortSignal): Promise<Report> {
  const html = await (await fetchReport(job, attempt, signal)).text();
  return Report.load(reportIn(blocksIn(html)), places);
}
