// What a job prints, while it prints it: all ranks merged or one of them, searched, and followed to its end.

import type { View } from "../../report";
import type { Job } from "../../service/jobs";
import { LogFeed } from "../../service/log_feed";
import { h, replaceChildren } from "../../ui/dom";
import { LineBrowser } from "../../ui/line_browser";
import { count } from "../../ui/words";
import { evidenceRows } from "./places";
import { troubleLine } from "./trouble";

const states = { open: "live", lost: "The connection broke; trying again …", ended: "The attempt is over; this is all of it." };

export function liveLogs(job: () => Job): View {
  const attemptChoice = h("select", { "aria-label": "Which attempt" });
  const rankChoice = h("select", { "aria-label": "Whose lines" });
  const follow = h("button", { type: "button", "aria-pressed": "true", title: "Keep the newest line in sight (f)" }, "Follow");
  const standing = h("span", { class: "standing", role: "status" });
  const note = h("p", { class: "muted note" });
  const browser = new LineBrowser();
  let feed: LogFeed | undefined;
  let wanted: { rank: number; stream: string; line: number } | null = null;

  const setFollow = (does: boolean) => {
    follow.setAttribute("aria-pressed", String(does));
    browser.list.follow(does);
  };
  const chooseWanted = () => {
    const { rank, stream, line } = wanted!;
    const isThere = browser.choose((row) => row.rank === rank && row.number === line && (row.isError ? "err" : "out") === stream);
    if (isThere) wanted = null;
  };
  const start = () => {
    feed?.stop();
    const attempt = Number(attemptChoice.value) || 1;
    const rank = rankChoice.value === "" ? null : Number(rankChoice.value);
    const isLast = attempt === job().attempts;
    const evidence = isLast ? (job().diagnosis?.findings ?? []).flatMap((finding) => finding.evidence) : [];
    standing.textContent = "";
    note.textContent = "";
    const made: LogFeed = new LogFeed(job().id, attempt, rank, evidenceRows(evidence), {
      more: (from) => {
        if (made !== feed) return;
        browser.extend(from);
        if (wanted) chooseWanted();
      },
      cut: () => {
        browser.show(made.rows);
        note.textContent = `The page keeps the newest ${count(made.rows.length)} lines; ${count(made.dropped)} before them are in the service. Choose a rank to see all of its lines.`;
      },
      state: (state) => {
        standing.textContent = states[state];
        standing.className = `standing ${state}`;
        follow.hidden = state === "ended";
        if (state === "ended" && made.rows.length === 0) note.textContent = rank === null ? "The ranks of this attempt printed nothing." : `Rank ${rank} printed nothing in this attempt.`;
      },
      refused: (refusal) => (standing.textContent = troubleLine(refusal)),
    });
    feed = made;
    browser.show(made.rows);
  };
  const fill = (attempt: number) => {
    const { attempts, last_attempt: last, request } = job();
    const workers = last?.workers ?? (typeof request.workers === "number" ? request.workers : request.workers.max);
    replaceChildren(attemptChoice, Array.from({ length: Math.max(attempts, 1) }, (_, i) => h("option", { value: i + 1 }, `Attempt ${i + 1}`)));
    attemptChoice.value = String(attempt);
    attemptChoice.hidden = attempts < 2;
    if (rankChoice.options.length !== workers + 1) replaceChildren(rankChoice, h("option", { value: "" }, "All ranks, merged"), Array.from({ length: workers }, (_, i) => h("option", { value: i }, `Rank ${i}`)));
  };
  for (const choice of [attemptChoice, rankChoice]) choice.addEventListener("change", start);
  follow.addEventListener("click", () => setFollow(follow.getAttribute("aria-pressed") !== "true"));
  browser.list.onLeaveEnd = () => follow.setAttribute("aria-pressed", "false");
  browser.list.follow(true);
  return {
    element: h("div", { class: "logs" },
      h("div", { class: "controls" }, attemptChoice, rankChoice, follow, browser.controls, standing),
      browser.list.element, browser.detail, note),
    search: browser.search,
    arrive: (_, query) => {
      fill(Number(query.get("attempt")) || job().attempts || 1);
      const line = Number(query.get("line"));
      wanted = line > 0 ? { rank: Number(query.get("rank")), stream: query.get("stream") ?? "out", line } : null;
      if (wanted) setFollow(false);
      if (!wanted && query.has("rank")) rankChoice.value = query.get("rank")!;
      start();
    },
    leave: () => feed?.stop(),
  };
}
