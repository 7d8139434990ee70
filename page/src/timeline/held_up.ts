// How long the others had to wait for each rank: until it came as the last, and where it never came, until the evidence ends.

import { Kind, type Spans } from "../data/spans";
import { awaitedIn, meetingOf } from "./meetings";

export interface HeldUp {
  us: number;
  isUnfinished: boolean; // they still wait
}

export function heldUp(spans: Spans): HeldUp[] {
  const { ranks, meetings, seen_us: seen } = spans.facts;
  const { all_came_us: came } = meetings;
  const last = new Float64Array(came.length).fill(-1);
  const before = new Float64Array(came.length).fill(-1);
  const who = new Int32Array(came.length).fill(-1);
  const hangs = new Set<number>();
  for (let rank = 0; rank < ranks.length; rank++) {
    for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
      const meeting = spans.meeting[span];
      if (spans.kind[span] !== Kind.Collective) continue;
      if (spans.isUnfinished(span)) hangs.add(meeting);
      if (came[meeting] <= 0) continue;
      const begin = spans.begin[span];
      if (begin > last[meeting]) {
        before[meeting] = last[meeting];
        last[meeting] = begin;
        who[meeting] = rank;
      } else if (begin > before[meeting]) before[meeting] = begin;
    }
  }
  const held = ranks.map((): HeldUp => ({ us: 0, isUnfinished: false }));
  for (let meeting = 0; meeting < came.length; meeting++) if (who[meeting] >= 0 && before[meeting] >= 0) held[who[meeting]].us += last[meeting] - before[meeting];
  // A rank waits in one call at a time, however many it has queued behind it: the longest wait for each counts.
  const still = new Float64Array(ranks.length);
  for (const id of hangs) {
    const meeting = meetingOf(spans, id);
    if (meeting.isOver || meeting.arrivals.length === 0) continue;
    const awaited = awaitedIn(spans, meeting);
    const waiting = meeting.arrivals.filter((one) => !awaited.includes(one.rank));
    if (waiting.length === 0) continue;
    const since = spans.begin[waiting[waiting.length - 1].span];
    const until = Math.min(seen, Math.max(...waiting.map((one) => spans.end[one.span])));
    for (const rank of awaited) still[rank] = Math.max(still[rank], until - since);
  }
  still.forEach((us, rank) => {
    if (us <= 0) return;
    held[rank].us += us;
    held[rank].isUnfinished = true;
  });
  return held;
}
