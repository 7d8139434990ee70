// How each rank stands: the squares first, every rank by name below them.

import type { Attempt, RankEnd } from "../../service/jobs";
import { h, visible } from "../../ui/dom";
import { count, plural, took } from "../../ui/words";

const mostSquares = 1024;
const mostRows = 128;

type Kind = "runs" | "well" | "root" | "bad" | "asked" | "unseen";

function kindOf(attempt: Attempt, end: RankEnd | undefined, rank: number): Kind {
  if (!end) return attempt.state === "RUNNING" ? "runs" : "unseen";
  if (rank === attempt.first_failed_rank) return "root";
  if (end.was_asked_to_end) return "asked";
  return end.signal === null && end.exit_status === 0 ? "well" : "bad";
}

function words(kind: Kind, end: RankEnd | undefined): string {
  if (!end) return kind === "runs" ? "running" : "not started, or lost";
  const how = end.signal !== null ? `signal ${end.signal}` : `status ${end.exit_status}`;
  return { well: "ended by itself", root: `failed first: ${how}`, bad: `failed: ${how}`, asked: "told to end", runs: "running", unseen: "" }[kind];
}

export function rankStates(attempt: Attempt): HTMLElement {
  const ends = new Map(attempt.ranks.map((end) => [end.rank, end]));
  const ranks = Array.from({ length: attempt.workers }, (_, rank) => ({ rank, end: ends.get(rank), kind: kindOf(attempt, ends.get(rank), rank) }));
  const isFew = attempt.workers <= 32;
  const running = ranks.filter((one) => one.kind === "runs").length;
  const first = ranks.filter((one) => one.kind === "root" || one.kind === "bad");
  const listed = [...first, ...ranks.filter((one) => !first.includes(one))].slice(0, mostRows);
  return h("section", { class: "card rank-states" },
    h("h2", {}, "Ranks"),
    h("p", {}, attempt.state === "RUNNING" ? `${count(running)} of ${plural(attempt.workers, "rank")} run.` : summary(attempt, ranks)),
    attempt.workers <= mostSquares && h("div", { class: isFew ? "strip large" : "strip", role: "img", "aria-label": "Each rank as a square; each is named below" },
      ranks.map((one) => h("i", { class: one.kind, title: `rank ${one.rank}: ${words(one.kind, one.end)}` }, isFew && String(one.rank)))),
    h("details", { open: attempt.workers <= 8 }, h("summary", {}, "Each rank"),
      h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Each rank" }, h("table", { class: "ranks" },
        h("thead", {}, h("tr", {}, ["Rank", "State", "Took", "Last line"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, listed.map(({ rank, end, kind }) => h("tr", { class: kind === "root" ? "guilty" : "" },
          h("th", { scope: "row" }, kind === "root" ? `▶ ${rank}` : String(rank)),
          h("td", {}, words(kind, end)),
          h("td", {}, end ? took(end.started_at, end.ended_at) : "–"),
          h("td", { class: "last-line" }, visible(end?.last_lines[end.last_lines.length - 1] ?? "")))))))),
    listed.length < attempt.workers && h("p", { class: "muted" }, `${count(attempt.workers - listed.length)} more ranks are not listed; those that failed come first.`),
  );
}

function summary(attempt: Attempt, ranks: { kind: Kind }[]): string {
  const number = (kind: Kind) => ranks.filter((one) => one.kind === kind).length;
  const parts = [
    attempt.first_failed_rank !== null && `rank ${attempt.first_failed_rank} failed first`,
    number("bad") > 0 && `${count(number("bad"))} failed after it`,
    number("asked") > 0 && plural(number("asked"), "was told to end", "were told to end"),
    number("well") > 0 && plural(number("well"), "ended by itself", "ended by themselves"),
    number("unseen") > 0 && `${count(number("unseen"))} left no word`,
  ].filter(Boolean).join(", ");
  return parts ? parts[0].toUpperCase() + parts.slice(1) + "." : "No rank was started.";
}
