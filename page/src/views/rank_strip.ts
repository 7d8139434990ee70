// All ranks of the job as small squares: who began it, who suffered, who left nothing.

import type { Finding } from "../data/contents";
import type { Report } from "../report";
import { h } from "../ui/dom";

const most = 1024;

export function rankStrip(report: Report, finding: Finding): HTMLElement | false {
  const { job } = report.findings;
  if (finding.root_ranks.length === 0 && finding.victim_ranks.length === 0) return false;
  const highest = [finding.root_ranks, finding.victim_ranks, job.ranks_seen].reduce((most, ranks) => Math.max(most, (ranks[ranks.length - 1] ?? -1) + 1), 0);
  const size = Math.max(job.world_size ?? 0, highest);
  if (size < 2 || size > most) return false;
  const seen = new Set(job.ranks_seen);
  const roots = new Set(finding.root_ranks);
  const victims = new Set(finding.victim_ranks);
  const strip = h("div", { class: size <= 32 ? "strip large" : "strip", role: "img", "aria-label": "Each rank of the job as a square; the ranks are named above" });
  for (let rank = 0; rank < size; rank++) {
    const kind = roots.has(rank) ? "root" : victims.has(rank) ? "victim" : seen.size > 0 && !seen.has(rank) ? "absent" : "other";
    strip.append(h("i", { class: kind, title: `rank ${rank}` }, size <= 32 && String(rank)));
  }
  return strip;
}
