// Who came to a collective, when, and who did not.

import { type Spans } from "../data/spans";

export interface Arrival {
  rank: number; // index
  span: number;
}

export interface Meeting {
  id: number;
  arrivals: Arrival[]; // first to come first
  missing: number[]; // global ranks of members that left evidence of everything but this
  isOver: boolean;
}

export function membersOf(spans: Spans, meeting: number): number[] {
  const { members } = spans.facts.groups[spans.facts.meetings.group[meeting]] ?? { members: [] };
  const all: number[] = [];
  for (let i = 0; i + 1 < members.length; i += 2) for (let k = 0; k < members[i + 1]; k++) all.push(members[i] + k);
  return all;
}

export function meetingOf(spans: Spans, id: number): Meeting {
  const arrivals: Arrival[] = [];
  let isOver = false;
  for (let rank = 0; rank < spans.facts.ranks.length; rank++) {
    for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
      if (spans.meeting[span] !== id) continue;
      arrivals.push({ rank, span });
      isOver ||= !spans.isUnfinished(span);
      break;
    }
  }
  const came = new Set(arrivals.map((one) => spans.facts.ranks[one.rank]));
  arrivals.sort((a, b) => spans.begin[a.span] - spans.begin[b.span]);
  const isShort = spans.facts.meetings.all_came_us[id] < 0;
  return { id, arrivals, isOver, missing: isShort ? membersOf(spans, id).filter((rank) => !came.has(rank)) : [] };
}

// Whom the others wait for, as indices: those that did not come; where all came and it does not end, those that brought something else; else who came last.
export function awaitedIn(spans: Spans, meeting: Meeting): number[] {
  if (meeting.missing.length > 0) return meeting.missing.map((rank) => spans.facts.ranks.indexOf(rank)).filter((rank) => rank >= 0);
  const usual = spans.facts.meetings.label[meeting.id];
  const odd = meeting.arrivals.filter((one) => spans.label[one.span] !== usual);
  if (odd.length > 0) return odd.map((one) => one.rank);
  return meeting.isOver && spans.facts.meetings.all_came_us[meeting.id] > 0 ? meeting.arrivals.slice(-1).map((one) => one.rank) : [];
}

export interface Stuck {
  meeting: number;
  label: number;
  ranks: number[]; // global
  firstSpan: number;
}

// What was going on when the evidence ends: the last unfinished call of each rank, equal ones together.
export function stuckAtTheEnd(spans: Spans): Stuck[] {
  const groups = new Map<string, Stuck>();
  for (let rank = 0; rank < spans.facts.ranks.length; rank++) {
    // The oldest call that never ended is the one that holds the rank; later ones queue behind it.
    for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
      if (!spans.isUnfinished(span)) continue;
      const key = `${spans.meeting[span]}:${spans.label[span]}`;
      const group = groups.get(key) ?? { meeting: spans.meeting[span], label: spans.label[span], ranks: [], firstSpan: span };
      group.ranks.push(spans.facts.ranks[rank]);
      groups.set(key, group);
      break;
    }
  }
  return [...groups.values()].sort((a, b) => b.ranks.length - a.ranks.length);
}
