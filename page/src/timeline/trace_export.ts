// The timeline as a Chrome trace, which Perfetto and chrome://tracing open: one process for each rank.

import { Kind, type Spans } from "../data/spans";

const eventsInAPiece = 20_000;

export function chromeTrace(spans: Spans): Blob {
  const { facts } = spans;
  const pieces: string[] = ['{"displayTimeUnit":"ms","traceEvents":[\n'];
  let lines: string[] = facts.ranks.map((rank) => JSON.stringify({ ph: "M", name: "process_name", pid: rank, args: { name: `rank ${rank}` } }));
  const flush = (isLast: boolean) => {
    pieces.push(lines.join(",\n") + (isLast ? "\n" : ",\n"));
    lines = [];
  };
  for (let rank = 0; rank < facts.ranks.length; rank++) {
    for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
      if (lines.length >= eventsInAPiece) flush(false);
      lines.push(JSON.stringify(eventOf(spans, rank, span)));
    }
  }
  flush(true);
  pieces.push("]}\n");
  return new Blob(pieces, { type: "application/json" });
}

function eventOf(spans: Spans, rank: number, span: number): object {
  const { facts } = spans;
  const meeting = spans.meeting[span];
  const isActivity = spans.kind[span] === Kind.Activity;
  const label = spans.kind[span] === Kind.Run ? `${spans.number[span]} calls` : (facts.labels[spans.label[span]] ?? "call");
  const args: Record<string, unknown> = { waiting_us: spans.waitEnd[span] - spans.begin[span] };
  if (meeting >= 0) {
    args.group = facts.groups[facts.meetings.group[meeting]]?.name;
    args.sequence = facts.meetings.sequence[meeting];
  }
  if (spans.site[span] >= 0) args.site = facts.sites[spans.site[span]];
  if (isActivity) args.number = spans.number[span];
  if (spans.isUnfinished(span)) args.unfinished = true;
  return {
    ph: "X",
    name: meeting >= 0 ? `${label.split(" ")[0]} #${facts.meetings.sequence[meeting]}` : isActivity ? `${label} ${spans.number[span]}` : label,
    cat: isActivity ? "activity" : "communication",
    pid: facts.ranks[rank],
    tid: isActivity ? 1 : 0,
    ts: spans.begin[span],
    dur: spans.end[span] - spans.begin[span],
    args,
  };
}
