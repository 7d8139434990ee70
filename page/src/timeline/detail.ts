// The chosen call in words: what it is, how long the rank waited in it, who else came, and who did not.

import { Kind, State } from "../data/spans";
import type { Spans } from "../data/spans";
import { h, visible } from "../ui/dom";
import { count, duration, rankWord, ranks } from "../ui/words";
import { meetingOf, membersOf } from "./meetings";
import type { Row } from "./rows";

export function spanDetail(spans: Spans, span: number, goTo: (span: number) => void): HTMLElement {
  const { facts } = spans;
  const rank = facts.ranks[spans.rankOf(span)];
  const meeting = spans.meeting[span];
  const rows: [string, Node | string][] = [];
  const label = spans.kind[span] === Kind.Run ? `${count(spans.number[span])} calls, folded` : (facts.labels[spans.label[span]] ?? "call");
  const group = meeting >= 0 ? `number ${facts.meetings.sequence[meeting]} in ${facts.groups[facts.meetings.group[meeting]]?.name || "an unnamed group"}` : "";
  const length = spans.end[span] - spans.begin[span];
  const waited = spans.waitEnd[span] - spans.begin[span];
  if (spans.isUnfinished(span)) {
    rows.push([spans.state[span] === State.Failed ? "Given up" : "Never finished", `began at ${duration(spans.begin[span])}, ${duration(Math.max(0, facts.seen_us - spans.begin[span]))} before the evidence ends`]);
  } else {
    rows.push(["Took", `${duration(length)} from ${duration(spans.begin[span])}`]);
    rows.push(["Of that", waited > 0 ? `${duration(waited)} waiting for others, ${duration(spans.busyEnd(span) - spans.waitEnd[span])} transfer` : "no waiting for others that shows"]);
  }
  if (spans.site[span] >= 0) rows.push(["Called at", visible(facts.sites[spans.site[span]])]);
  if (meeting >= 0) rows.push(...meetingRows(spans, meeting, goTo));
  return h("div", {}, h("h2", {}, `Rank ${rank}: ${label}`), group && h("p", { class: "muted" }, group), h("dl", {}, rows.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]).flat()));
}

function meetingRows(spans: Spans, id: number, goTo: (span: number) => void): [string, Node | string][] {
  const meeting = meetingOf(spans, id);
  const link = (index: number, text: string) => h("button", { type: "button", class: "link", click: () => goTo(meeting.arrivals[index].span) }, text);
  const at = (index: number) => spans.begin[meeting.arrivals[index].span];
  const last = meeting.arrivals.length - 1;
  const rankAt = (index: number) => spans.facts.ranks[meeting.arrivals[index].rank];
  const rows: [string, Node | string][] = [];
  rows.push(["Came", `${meeting.arrivals.length} of ${membersOf(spans, id).length || meeting.arrivals.length}`]);
  if (last > 0) {
    rows.push(["First, last", h("span", {}, link(0, `rank ${rankAt(0)}`), ", ", link(last, `rank ${rankAt(last)}`), ` ${duration(at(last) - at(0))} later`)]);
  }
  if (meeting.missing.length > 0) rows.push(["Did not come", h("span", { class: "guilty" }, h("b", {}, rankWord(meeting.missing)))]);
  const others = new Map<number, number[]>();
  for (const arrival of meeting.arrivals) {
    const label = spans.label[arrival.span];
    others.set(label, [...(others.get(label) ?? []), spans.facts.ranks[arrival.rank]]);
  }
  if (others.size > 1) {
    const lines = [...others].sort((a, b) => b[1].length - a[1].length);
    rows.push(["Brought", h("span", {}, lines.map(([label, who], i) => h("span", { class: i === 0 ? "part" : "part guilty" }, `${rankWord(who.sort((a, b) => a - b))}: ${spans.facts.labels[label]}`)))]);
  }
  return rows;
}

export function rowDetail(spans: Spans, row: Row, says: string): HTMLElement {
  let [calls, waiting, transfer, length] = [0, 0, 0, 0];
  for (const rank of row.members) {
    const time = timeOf(spans, rank);
    calls += time.calls;
    waiting += time.waiting;
    transfer += time.transfer;
    length += time.length;
  }
  const share = (value: number) => (length > 0 ? `${Math.round((value / length) * 100)}%` : "–");
  return h("div", {}, h("h2", {}, says.charAt(0).toUpperCase() + says.slice(1)), h("dl", {},
    h("dt", {}, "Calls"), h("dd", {}, count(calls)),
    h("dt", {}, "Waiting"), h("dd", {}, `${duration(waiting)} (${share(waiting)})`),
    h("dt", {}, "Transfer"), h("dd", {}, `${duration(transfer)} (${share(transfer)})`),
    row.members.length > 1 && h("dt", {}, "Members"), row.members.length > 1 && h("dd", {}, ranks(row.members.map((rank) => spans.facts.ranks[rank])))));
}

export interface RankTime {
  calls: number;
  waiting: number;
  transfer: number;
  length: number;
}

// Overlapping calls count once; from the rank's first call to its last end.
export function timeOf(spans: Spans, rank: number): RankTime {
  const time: RankTime = { calls: 0, waiting: 0, transfer: 0, length: 0 };
  let covered = -Infinity;
  let first = Infinity;
  for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
    if (spans.kind[span] === Kind.Activity) continue;
    const isRun = spans.kind[span] === Kind.Run;
    time.calls += isRun ? spans.number[span] : 1;
    first = Math.min(first, spans.begin[span]);
    const from = Math.max(spans.begin[span], covered);
    const busyEnd = spans.busyEnd(span);
    const waited = Math.max(0, spans.waitEnd[span] - from);
    time.waiting += waited;
    time.transfer += Math.max(0, busyEnd - Math.max(from, spans.waitEnd[span]));
    covered = Math.max(covered, isRun ? spans.end[span] : busyEnd);
  }
  if (first < Infinity) time.length = covered - first;
  return time;
}
