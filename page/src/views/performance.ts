// Speed and agreement: where the time goes, how long steps take, what the loss does, where results part.

import type { Report, View } from "../report";
import { Kind, type Spans } from "../data/spans";
import { checksumPlot } from "../plots/checksums";
import { linePlot } from "../plots/lines";
import { sharePlot, type RankShare } from "../plots/shares";
import { summarise } from "../plots/summary";
import { timeOf } from "../timeline/detail";
import { h, replaceChildren } from "../ui/dom";
import { duration, plural, ranks, share } from "../ui/words";

export function performanceView(report: Report): View {
  const { steps, losses, checksums, timeline } = report.contents;
  const shares = h("section", { class: "card wide shares-card" }, h("h2", {}, "Where the time goes"), h("p", { class: "muted" }, "Reading the spans …"));
  const element = h(
    "div",
    { class: "performance" },
    h("h1", { class: "offscreen" }, "Performance"),
    timeline ? shares : missing("Where the time goes", "No times of ranks were read. Record the job with lockstep run, or give traces."),
    steps.length > 0 ? stepTimes(report) : missing("Step time", "No rank recorded its steps."),
    losses.length > 0 ? lossCurves(report) : missing("Loss", "No line of a log that was read tells a loss."),
    checksums
      ? h("section", { class: "card wide" }, h("h2", {}, "Where checksums part"), checksumPlot(report, checksums))
      : missing("Where checksums part", "No checksums were recorded, so results cannot be compared between ranks."),
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

function missing(title: string, why: string): HTMLElement {
  return h("section", { class: "card" }, h("h2", {}, title), h("p", { class: "muted" }, why));
}

function fillShares(report: Report, spans: Spans, section: HTMLElement): void {
  const all: (RankShare & { held: number })[] = [];
  const held = heldUp(spans);
  for (let rank = 0; rank < spans.facts.ranks.length; rank++) {
    const time = timeOf(spans, rank);
    if (time.length === 0) continue;
    all.push({ rank: spans.facts.ranks[rank], waiting: time.waiting / time.length, transfer: time.transfer / time.length, held: held[rank] });
  }
  const worst = [...all].sort((a, b) => b.held - a.held).slice(0, 8).filter((one) => one.held > 0);
  replaceChildren(section,
    h("h2", {}, "Where the time goes"),
    h("p", { class: "legend" }, h("span", {}, h("i", { class: "waiting" }), "waiting for others"), h("span", {}, h("i", { class: "transfer" }), "transfer"), h("span", {}, h("i", { class: "work" }), "work")),
    h("div", { class: "beside" }, sharePlot(all, report.guilty), h("div", {}, h("h3", {}, "Who holds up the others"), holdingUp(report, worst))));
}

function holdingUp(report: Report, worst: (RankShare & { held: number })[]): HTMLElement {
  if (worst.length === 0) return h("p", { class: "muted" }, "No collective shows that a rank came last.");
  return h("table", { class: "numbers" },
    h("caption", { class: "muted" }, "How long the others had to wait between the last but one arrival and this rank's, over all collectives."),
    h("thead", {}, h("tr", {}, ["Rank", "Others waited", "Its own waiting", "Its transfer"].map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, worst.map((one) => h("tr", { class: report.guilty.has(one.rank) ? "guilty" : "" }, h("th", { scope: "row" }, (report.guilty.has(one.rank) ? "▶ " : "") + one.rank), h("td", {}, duration(one.held)), h("td", {}, share(one.waiting)), h("td", {}, share(one.transfer))))));
}

function heldUp(spans: Spans): Float64Array {
  const { all_came_us: came } = spans.facts.meetings;
  const last = new Float64Array(came.length).fill(-1);
  const before = new Float64Array(came.length).fill(-1);
  const who = new Int32Array(came.length).fill(-1);
  for (let rank = 0; rank < spans.facts.ranks.length; rank++) {
    for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
      const meeting = spans.meeting[span];
      if (spans.kind[span] !== Kind.Collective || came[meeting] <= 0) continue;
      const begin = spans.begin[span];
      if (begin > last[meeting]) {
        before[meeting] = last[meeting];
        last[meeting] = begin;
        who[meeting] = rank;
      } else if (begin > before[meeting]) before[meeting] = begin;
    }
  }
  const held = new Float64Array(spans.facts.ranks.length);
  for (let meeting = 0; meeting < came.length; meeting++) if (who[meeting] >= 0 && before[meeting] >= 0) held[who[meeting]] += last[meeting] - before[meeting];
  return held;
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
  const broken = losses.filter((one) => one.losses.some((loss) => typeof loss === "string"));
  return h("section", { class: "card" }, h("h2", {}, "Loss"), note(summary.isWhole, "As the logs tell it."),
    broken.length > 0 && h("p", { class: "guilty" }, `Not a number or infinite on rank ${ranks(broken.map((one) => one.rank))}, first at step ${Math.min(...broken.map((one) => one.steps[one.losses.findIndex((loss) => typeof loss === "string")]))}.`),
    linePlot(summary, report.guilty, "loss", `Loss of ${plural(losses.length, "rank")} by step`));
}

function note(isWhole: boolean, more: string): HTMLElement {
  return h("p", { class: "muted" }, isWhole ? more : `The band holds all ranks; the line is their middle; ranks that began a finding stand apart. ${more}`, "\u00a0");
}
