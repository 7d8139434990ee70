// What the job printed: one log, one rank, or all of them together; searched, and followed to the line.

import type { LogFile } from "../data/contents";
import type { Report, View } from "../report";
import { copyButton } from "../ui/copy";
import { h, replaceChildren, visible } from "../ui/dom";
import { LineList, type Row } from "../ui/line_list";
import { count, plural } from "../ui/words";

const everything = "*";

export function logsView(report: Report): View {
  const { logs } = report.contents;
  if (logs.length === 0) return { element: noLogs() };
  const isEvidence = evidenceLines(report);
  const rankChoice = h("select", { "aria-label": "Whose lines" });
  const fileChoice = h("select", { "aria-label": "Which log" });
  const search = h("input", { type: "search", placeholder: "Search", "aria-label": "Search the lines", spellcheck: "false" });
  const only = h("input", { type: "checkbox", id: "only-matches" });
  const told = h("span", { class: "muted", role: "status" });
  const detail = h("div", { class: "line-detail" }, h("p", { class: "muted" }, "Choose a line to see all of it here."));
  const note = h("p", { class: "muted note" });
  const list = new LineList((row) => showDetail(detail, row));

  fileChoice.append(h("option", { value: everything }, `All logs, merged (${logs.length})`));
  logs.forEach((log, i) => fileChoice.append(h("option", { value: i }, visible(log.file))));
  if (logs.length === 1) fileChoice.value = "0";
  fillRanks(rankChoice, logs);

  let match = -1;
  const refresh = () => {
    const chosen = fileChoice.value === everything ? logs : [logs[Number(fileChoice.value)]];
    const rank = rankChoice.value === "" ? null : Number(rankChoice.value);
    const rows = rowsOf(chosen, rank, isEvidence);
    const wanted = search.value.toLowerCase();
    const found = wanted ? rows.filter((row) => !row.isGap && row.text.toLowerCase().includes(wanted)) : [];
    list.show(wanted && only.checked ? found : rows, search.value);
    told.textContent = wanted ? plural(found.length, "line") + " found" : plural(rows.filter((row) => !row.isGap).length, "line");
    note.textContent = noteOn(chosen);
    match = -1;
    return { rows, found };
  };
  const step = (by: number) => {
    const { rows, found } = current;
    if (found.length === 0) return;
    match = (match + by + found.length) % found.length;
    list.choose(only.checked ? match : rows.indexOf(found[match]));
    told.textContent = `${match + 1} of ${count(found.length)}`;
  };
  let current = refresh();
  for (const control of [rankChoice, fileChoice, only]) control.addEventListener("change", () => (current = refresh()));
  search.addEventListener("input", () => (current = refresh()));
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") {
      search.value = "";
      current = refresh();
      list.element.focus();
    }
  });

  const follow = (file: string, line: number) => {
    const index = logs.findIndex((log) => log.file === file);
    if (index < 0) return;
    fileChoice.value = String(index);
    rankChoice.value = "";
    search.value = "";
    current = refresh();
    const at = current.rows.findIndex((row) => !row.isGap && row.number === line);
    if (at >= 0) list.choose(at);
  };
  return {
    element: h(
      "div",
      { class: "logs" },
      h("h1", { class: "offscreen" }, "Logs"),
      h("div", { class: "controls" },
        fileChoice,
        rankChoice,
        search,
        h("button", { type: "button", click: () => step(-1), "aria-label": "Match before" }, "↑"),
        h("button", { type: "button", click: () => step(1), "aria-label": "Next match" }, "↓"),
        h("label", { for: "only-matches" }, only, " matches only"),
        told),
      list.element,
      detail,
      note,
    ),
    search,
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

function showDetail(detail: HTMLElement, row: Row): void {
  const place = `${row.file ? row.file + ":" : "line "}${row.number}`;
  replaceChildren(detail,
    h("p", {}, h("b", {}, place), row.rank !== null && ` rank ${row.rank}`, row.isEvidence && h("span", { class: "tag" }, "evidence"), row.cut > 0 && ` cut: ${count(row.cut)} more bytes are in the file`, copyButton(row.text, "the line")),
    h("pre", { tabindex: 0 }, row.text));
}
