// Where the views of a job's report are, and where the lines of its evidence stand in its log.

import type { Evidence } from "../../data/contents";
import { momentOf, type Places } from "../../report";
import type { LogRow } from "../../service/log_feed";
import { href, type Query } from "../../ui/route";

// The files of a recording are named after rank and stream.
function lineOf(one: Evidence): { rank: number; stream: string; line: number } | null {
  const file = /(?:^|\/)rank_(\d+)\.(out|err)$/.exec(one.file);
  return file && one.line ? { rank: Number(file[1]), stream: file[2], line: one.line } : null;
}

export function jobHref(id: string, view = "", query: Query = {}): string {
  return href("job", view ? `${id}/${view}` : id, query);
}

export function placesOf(id: string, attempt: number, hasTimeline: boolean): Places {
  return {
    href: (view, query) => jobHref(id, view, { attempt, ...query }),
    hasTimeline: () => hasTimeline,
    evidence(report, one, finding, index) {
      const line = lineOf(one);
      if (line) return { href: jobHref(id, "logs", { attempt, ...line }), says: "Open the log at this line", where: "log", name: `rank_${line.rank}.${line.stream}:${line.line}` };
      return momentOf(report, finding, index);
    },
  };
}

export function evidenceRows(evidence: Evidence[]): (row: LogRow) => boolean {
  const lines = new Set(evidence.map(lineOf).map((line) => line && `${line.rank}.${line.stream}.${line.line}`));
  return (row) => lines.has(`${row.rank}.${row.stream}.${row.number}`);
}
