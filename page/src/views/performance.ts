// Speed and agreement: where the time goes, how long steps take, what the loss does, where results part.

import type { Report, View } from "../report";
import type { Spans } from "../data/spans";
import { checksumPlot } from "../plots/checksums";
import { linePlot } from "../plots/lines";
import { sharePlot, type RankShare } from "../plots/shares";
import { summarise } from "../plots/summary";
import { timeOf } from "../timeline/detail";
import { heldUp, type HeldUp } from "../timeline/held_up";
import { h, replaceChildren } from "../ui/dom";
import { duration, plural, rankWord, share } from "../ui/words";

const mostRows = 64;

export function performanceView(report: Report): View {
  const { steps, losses, checksums, timeline } = report.contents;
  const shares = h("section", { class: "card wide shares-card" }, h("h2", {}, "Where the time goes"), h("p", { class: "muted" }, "Reading the times …"));
  const isEmpty = !timeline && steps.length === 0 && losses.length === 0 && !checksums;
  const element = h(
    "div",
    { class: "performance" },
    h("h1", { class: "offscreen" }, "Performance"),
    isEmpty && nothingMeasured(),
    timeline && shares,
    steps.length > 0 && stepTimes(report),
    losses.length > 0 && lossCurves(report),
    checksums && h("section", { class: "card wide" }, h("h2", {}, "Checksum mismatches"), checksumPlot(report, checksums)),
  );
  let isFilled = false;
  return {
    element,
    arrive: () => {
      if (isFilled || !timeline) return;
      isFilled = true;
      void report.spans().then((spans) => spans && fillShares(report, spans, shares));
    },
  };
}

function nothingMeasured(): HTMLElement {
  return h("div", { class: "empty" }, h("h2", {}, "Nothing was measured"),
    h("p", {}, "There are no times of ranks, no steps and no losses in what was read. Record the job with ", h("code", {}, "lockstep run -- torchrun …"), "."));
}

type Row = RankShare & { held: HeldUp; isSeen: boolean };

function fillShares(report: Report, spans: Spans, section: HTMLElement): void {
  const held = heldUp(spans);
  const all = spans.facts.ranks.map((rank, index): Row => {
    const time = timeOf(spans, index);
    const share = (value: number) => (time.length > 0 ? value / time.length : 0);
    return { rank, waiting: share(time.waiting), transfer: share(time.transfer), held: held[index], isSeen: time.length > 0 };
  });
  for (const rank of withoutTimes(report)) all.push({ rank, waiting: 0, transfer: 0, held: { us: 0, isUnfinished: false }, isSeen: false });
  const order = [...all].sort((a, b) => Number(b.held.isUnfinished) - Number(a.held.isUnfinished) || b.held.us - a.held.us || a.rank - b.rank);
  replaceChildren(section,
    h("h2", {}, "Where the time goes"),
    h("p", { class: "legend" }, h("span", {}, h("i", { class: "waiting" }), "waiting for others"), h("span", {}, h("i", { class: "transfer" }), "transfer"), h("span", {}, h("i", { class: "work" }), "work")),
    h("div", { class: "beside" }, sharePlot(all.filter((one) => one.isSeen), report.guilty), h("div", {}, h("h3", {}, "Who holds up the others"), holdingUp(report, order))));
}

// Ranks of the job of which no time is known: that they are there is worth a row all the same.
function withoutTimes(report: Report): number[] {
  const known = new Set(report.contents.timeline?.ranks ?? []);
  return Array.from({ length: Math.min(report.findings.job.world_size ?? 0, mostRows) }, (_, rank) => rank).filter((rank) => !known.has(rank));
}

function holdingUp(report: Report, order: Row[]): HTMLElement[] {
  const hidden = order.length - mostRows;
  const table = h("table", { class: "numbers" },
    h("caption", { class: "muted" }, "Total time the other ranks spent waiting for this rank, because it arrived last or not at all."),
    h("thead", {}, h("tr", {}, ["Rank", "Others waited", "Its own waiting", "Its transfer"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, order.slice(0, mostRows).map((one) => h("tr", { class: report.guilty.has(one.rank) ? "guilty" : "" },
      h("th", { scope: "row" }, (report.guilty.has(one.rank) ? "▶ " : "") + one.rank),
      h("td", {}, one.held.us > 0 ? duration(one.held.us) : "–", one.held.isUnfinished && ", and still wait"),
      h("td", {}, one.isSeen ? share(one.waiting) : "–"),
      h("td", {}, one.isSeen ? share(one.transfer) : "–")))));
  const scroll = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Who holds up the others" }, table);
  return hidden > 0 ? [scroll, h("p", { class: "muted" }, `${plural(hidden, "more rank")} held up the others less.`)] : [scroll];
}

function stepTimes(report: Report): HTMLElement {
  const { steps } = report.contents;
  const curves = steps.map((one) => ({ rank: one.rank, xs: one.ms.map((_, i) => one.first_step + i * one.steps_each), ys: one.ms.map((ms) => (ms < 0 ? null : ms)) }));
  const summary = summarise(curves, report.guilty);
  const says = `Step time of ${plural(steps.length, "rank")} in milliseconds`;
  return h("section", { class: "card" }, h("h2", {}, "Step time"), note(summary.isWhole, steps[0].steps_each > 1 ? `Each point is the mean of ${steps[0].steps_each} steps.` : ""), linePlot(summary, report.guilty, "ms", says));
}

function lossCurves(report: Report): HTMLElement {
  const { losses } = report.contents;
  const toNumber = (loss: number | string) => (typeof loss === "number" ? loss : NaN);
  const curves = losses.map((one) => ({ rank: one.rank, xs: one.steps, ys: one.losses.map(toNumber) }));
  const summary = summarise(curves, report.guilty);
  const counted = losses[0].by;
  const broken = losses.filter((one) => one.losses.some((loss) => typeof loss === "string"));
  return h("section", { class: "card" }, h("h2", {}, "Loss"), note(summary.isWhole, "As the logs tell it."),
    broken.length > 0 && h("p", { class: "guilty" }, `Not a number or infinite on ${rankWord(broken.map((one) => one.rank))}, first at ${counted} ${Math.min(...broken.map((one) => one.steps[one.losses.findIndex((loss) => typeof loss === "string")]))}.`),
    linePlot(summary, report.guilty, "loss", `Loss of ${plural(losses.length, "rank")} by ${counted}`, counted));
}

function note(isWhole: boolean, more: string): HTMLElement {
  return h("p", { class: "muted" }, isWhole ? more : `The band holds all ranks; the line is their middle; ranks that began a finding stand apart. ${more}`, "\u00a0");
}
