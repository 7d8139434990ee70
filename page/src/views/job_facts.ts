// The job in a few words, and each of its ranks.

import type { Report } from "../report";
import { h } from "../ui/dom";
import { count, duration, ranks, wallClock } from "../ui/words";

const mostRows = 128;

export function jobFacts(report: Report): HTMLElement {
  const { job } = report.findings;
  const { contents } = report;
  const versions = [...new Set(contents.ranks.map((rank) => rank.version).filter(Boolean))];
  const hosts = [...new Set(contents.ranks.map((rank) => rank.host).filter(Boolean))];
  const facts: [string, string][] = [
    ["Framework", [job.framework || "not known", versions.join(", ")].filter(Boolean).join(" ")],
    ["Backend", job.backend || "not known"],
    ["Ranks", ranksOf(job)],
    ["Hosts", hosts.length > 0 && hosts.length <= 6 ? hosts.join(", ") : job.hosts ? count(job.hosts) : "not known"],
  ];
  if (contents.timeline) {
    facts.push(["Recorded", `${duration(contents.timeline.seen_us)} from ${wallClock(contents.timeline.begin_ns, 0)}`]);
  }
  facts.push(["Input", contents.input]);
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "The job"),
    h("dl", {}, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]).flat()),
    contents.ranks.length > 0 && rankTable(report),
  );
}

// A check sees no rank; of a job that ran it is worth knowing who left nothing.
function ranksOf({ world_size, ranks_seen }: Report["findings"]["job"]): string {
  if (!world_size) return ranks(ranks_seen) || "not known";
  if (ranks_seen.length === 0) return count(world_size);
  return `${count(world_size)}; evidence from ${ranks_seen.length === world_size ? "all" : ranks(ranks_seen)}`;
}

function rankTable(report: Report): HTMLElement {
  const all = report.contents.ranks;
  const marked = all.filter((rank) => report.guilty.has(rank.rank));
  const rest = all.filter((rank) => !report.guilty.has(rank.rank));
  const shown = [...marked, ...rest].slice(0, mostRows);
  return h(
    "details",
    { open: all.length <= 16 },
    h("summary", {}, "Each rank"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Each rank" },
      h("table", { class: "ranks" },
        h("thead", {}, h("tr", {}, ["Rank", "Host", "Process", "End"].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, shown.map((rank) =>
          h("tr", { class: report.guilty.has(rank.rank) ? "guilty" : "" },
            h("th", { scope: "row" }, report.guilty.has(rank.rank) ? `▶ ${rank.rank}` : String(rank.rank)),
            h("td", {}, rank.host || "–"),
            h("td", {}, rank.pid ?? "–", rank.restart > 0 && ` (restart ${rank.restart})`),
            h("td", {}, rank.end || "not seen")))))),
    all.length > shown.length && h("p", { class: "muted" }, `${count(all.length - shown.length)} more ranks are not listed; those that began something come first.`),
  );
}
