// What the job printed: one log, one rank, or all of them together; searched, and followed to the line.

import type { LogFile } from "../data/contents";
import type { Report, View } from "../report";
import { h, visible } from "../ui/dom";
import { LineBrowser } from "../ui/line_browser";
import type { Row } from "../ui/line_list";
import { count, plural } from "../ui/words";

const everything = "*";

export function logsView(report: Report): View {
  const { logs } = report.contents;
  if (logs.length === 0) return { element: noLogs() };
  const isEvidence = evidenceLines(report);
  const rankChoice = h("select", { "aria-label": "Whose lines" });
  const fileChoice = h("select", { "aria-label": "Which log" });
  const note = h("p", { class: "muted note" });
  const browser = new LineBrowser();

  fileChoice.append(h("option", { value: everything }, `All logs, merged (${logs.length})`));
  logs.forEach((log, i) => fileChoice.append(h("option", { value: i }, visible(log.file))));
  if (logs.length === 1) fileChoice.value = "0";
  fillRanks(rankChoice, logs);

  const refresh = () => {
    const chosen = fileChoice.value === everything ? logs : [logs[Number(fileChoice.value)]];
    const rank = rankChoice.value === "" ? null : Number(rankChoice.value);
    browser.show(rowsOf(chosen, rank, isEvidence));
    note.textContent = noteOn(chosen);
  };
  refresh();
  for (const control of [rankChoice, fileChoice]) control.addEventListener("change", refresh);

  const follow = (file: string, line: number) => {
    const index = logs.findIndex((log) => log.file === file);
    if (index < 0) return;
    fileChoice.value = String(index);
    rankChoice.value = "";
    browser.clearSearch();
    refresh();
    browser.choose((row) => row.number === line);
  };
  return {
    element: h(
      "div",
      { class: "logs" },
      h("h1", { class: "offscreen" }, "Logs"),
      h("div", { class: "controls" }, fileChoice, rankChoice, browser.controls),
      browser.list.element,
      browser.detail,
      note,
    ),
    search: browser.search,
    arrive: (_, query) => {
      const line = Number(query.get("line"));
      if (query.has("file") && line > 0) requestAnimationFrame(() => follow(query.get("file")!, line));
    },
  };
}

function noLogs(): HTMLElement {
  return h("div", { class: "empty" }, h("h1", {}, "No logs were read"),
    h("p", {}, "Give the folder that holds what the ranks printed: ", h("code", {}, "lockstep report FOLDER -o report.html"), ". A recording of ", h("code", {}, "lockstep run"), " keeps the job's output by itself."));
}

function fillRanks(choice: HTMLSelectElement, logs: LogFile[]): void {
  const ranks = new Set<number>();
  for (const log of logs) for (const line of log.lines) if (line[1] !== null) ranks.add(line[1]);
  choice.append(h("option", { value: "" }, "All ranks"));
  for (const rank of [...ranks].sort((a, b) => a - b)) choice.append(h("option", { value: rank }, `Rank ${rank}`));
  choice.disabled = ranks.size === 0;
}

function evidenceLines(report: Report): (file: string, line: number) => boolean {
  const all = new Set(report.findings.findings.flatMap((finding) => finding.evidence.map((one) => `${one.file}:${one.line}`)));
  return (file, line) => all.has(`${file}:${line}`);
}

// One log in its own order; several by the times their lines begin with, a line without taking that of the line before.
function rowsOf(logs: LogFile[], rank: number | null, isEvidence: (file: string, line: number) => boolean): Row[] {
  const rows: (Row & { time: number })[] = [];
  const isMerged = logs.length > 1;
  for (const log of logs) {
    let before = 0;
    let time = -1;
    for (const [number, owner, at, cut, text] of log.lines) {
      if (!isMerged && number > before + 1) rows.push({ isGap: true, file: log.file, number: before + 1, rank: null, text: `${plural(number - before - 1, "line")} left out`, cut: 0, isEvidence: false, time });
      before = number;
      time = at ?? time;
      if (rank !== null && owner !== rank) continue;
      rows.push({ isGap: false, file: isMerged ? log.file : "", number, rank: owner, text: visible(text), cut, isEvidence: isEvidence(log.file, number), time });
    }
    if (!isMerged && log.lines_in_all > before) rows.push({ isGap: true, file: log.file, number: before + 1, rank: null, text: `${plural(log.lines_in_all - before, "line")} left out`, cut: 0, isEvidence: false, time });
  }
  if (isMerged) rows.sort((a, b) => a.time - b.time);
  return rank === null ? rows : rows.filter((row) => !row.isGap);
}

function noteOn(logs: LogFile[]): string {
  if (logs.length === 1) {
    const [log] = logs;
    return log.lines.length < log.lines_in_all
      ? `${count(log.lines.length)} of ${count(log.lines_in_all)} lines are in this page: the start, the end, and what surrounds the evidence.`
      : "The whole log.";
  }
  const timed = logs.filter((log) => log.lines.some((line) => line[2] !== null)).length;
  return timed === logs.length
    ? "Ordered by the times that the lines begin with, each log by its own clock."
    : `${timed === 0 ? "No log has" : `Only ${timed} of ${logs.length} logs have`} times, so logs without stand one after the other.`;
}
