// The rows of the timeline: every rank, or many ranks folded into groups with the marked ones kept apart.

import type { Report } from "../report";
import { ranks as inWords } from "../ui/words";

export interface Row {
  label: string;
  members: number[]; // indices into the timeline's ranks
  rank: number | null; // of a single rank
  isMarked: boolean; // it began a finding
  isVictim: boolean;
}

const mostGroups = 64;
export const foldFrom = 256; // ranks

export function everyRank(report: Report): Row[] {
  const { ranks } = report.contents.timeline!;
  return ranks.map((rank, index) => single(report, rank, index));
}

function single(report: Report, rank: number, index: number): Row {
  return { label: String(rank), members: [index], rank, isMarked: report.guilty.has(rank), isVictim: report.victims.has(rank) };
}

// Marked ranks first, then ranks that follow each other, in groups of the same power of two.
export function folded(report: Report): Row[] {
  const { ranks } = report.contents.timeline!;
  const marked: Row[] = [];
  const others: number[] = [];
  ranks.forEach((rank, index) => {
    if (report.guilty.has(rank) && marked.length < mostGroups) marked.push(single(report, rank, index));
    else others.push(index);
  });
  let size = 2;
  while (others.length / size > mostGroups) size *= 2;
  const groups: Row[] = [];
  for (let at = 0; at < others.length; at += size) {
    const members = others.slice(at, at + size);
    const numbers = members.map((index) => ranks[index]);
    groups.push({
      label: members.length === 1 ? String(numbers[0]) : `${numbers[0]}–${numbers[numbers.length - 1]}`,
      members,
      rank: members.length === 1 ? numbers[0] : null,
      isMarked: false,
      isVictim: numbers.some((rank) => report.victims.has(rank)),
    });
  }
  return [...marked, ...groups];
}

export function describeRow(row: Row, ranks: number[]): string {
  return row.rank !== null ? `rank ${row.rank}` : `ranks ${inWords(row.members.map((index) => ranks[index]))}`;
}
