// The lines of an attempt as they come, numbered as in the files of its recording: each stream of each rank by itself.

import { visible } from "../ui/dom";
import type { Row } from "../ui/line_list";
import { clock } from "../ui/words";
import type { Refusal } from "./api";
import { follow, type StreamEvent } from "./event_stream";
import type { LogEntry } from "./jobs";

export interface LogRow extends Row {
  rank: number;
  stream: "out" | "err";
}

const mostRows = 200_000;
const longestKept = 20_000;

export interface FeedListener {
  more(from: number): void; // rows were added from here on
  cut(): void; // old rows were dropped, to stay below the bound
  state(state: "open" | "lost" | "ended"): void;
  refused(refusal: Refusal): void;
}

export class LogFeed {
  readonly rows: LogRow[] = [];
  dropped = 0;
  readonly stop: () => void;
  private readonly lines = new Map<string, { number: number; open: LogRow | null }>();

  constructor(job: string, attempt: number, rank: number | null, private readonly isEvidence: (row: LogRow) => boolean, private readonly listener: FeedListener) {
    const query = new URLSearchParams({ follow: "true", attempt: String(attempt) });
    if (rank !== null) query.set("rank", String(rank));
    this.stop = follow(`/v1/jobs/${job}/logs?${query}`, {
      events: (events) => this.take(events),
      state: (state) => listener.state(state),
      refused: (refusal) => listener.refused(refusal),
    });
  }

  private take(events: StreamEvent[]): void {
    const from = this.rows.length;
    for (const event of events) if (event.kind === "message") this.add(JSON.parse(event.data) as LogEntry);
    if (this.rows.length <= mostRows) return this.listener.more(from);
    this.dropped += this.rows.splice(0, this.rows.length - mostRows + mostRows / 4).length;
    this.listener.cut();
  }

  // A line of more than some kilobytes comes in pieces; the page keeps the first.
  private add(entry: LogEntry): void {
    const key = `${entry.rank}.${entry.stream}`;
    const line = this.lines.get(key) ?? { number: 0, open: null };
    this.lines.set(key, line);
    const { open } = line;
    if (open) {
      open.cut += entry.text.length;
      if (!entry.goes_on) line.open = null;
      return;
    }
    const row: LogRow = {
      isGap: false, file: "", at: clock(new Date(entry.at)) + entry.at.slice(19, 23), number: ++line.number, rank: entry.rank, stream: entry.stream,
      text: visible(entry.text.slice(0, longestKept)), cut: Math.max(0, entry.text.length - longestKept), isEvidence: false, isError: entry.stream === "err",
    };
    row.isEvidence = this.isEvidence(row);
    this.rows.push(row);
    if (entry.goes_on) line.open = row;
  }
}
