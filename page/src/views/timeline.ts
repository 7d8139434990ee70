// Ranks over time: what each waited in, what it moved, where it stands at the end, and who holds up whom.

import type { Spans } from "../data/spans";
import type { Report, View } from "../report";
import { TimelineCanvas } from "../timeline/canvas";
import { rowDetail, spanDetail } from "../timeline/detail";
import { meetingOf, stuckAtTheEnd, type Stuck } from "../timeline/meetings";
import { chromeTrace } from "../timeline/trace_export";
import { download } from "../ui/download";
import { h, replaceChildren, visible } from "../ui/dom";
import { duration, rankWord } from "../ui/words";

export function timelineView(report: Report): View {
  if (!report.contents.timeline) return { element: noTimeline() };
  const holder = h("div", { class: "timeline" }, h("div", { class: "canvas" }), h("div", { class: "panels" }));
  let made: Promise<TimelineCanvas> | undefined;
  let hasArrived = false;
  return {
    element: holder,
    arrive: (_, query) => {
      made ??= report.spans().then((spans) => build(report, spans!, holder));
      void made.then((canvas) => {
        const rank = query.has("rank") ? Number(query.get("rank")) : undefined;
        const at = query.get("at");
        if (at === "end") canvas.goToEnd(rank);
        else if (at !== null && rank !== undefined) canvas.goTo(rank, Number(at));
        else if (!hasArrived) canvas.showSteps();
        hasArrived = true;
      });
    },
  };
}

function noTimeline(): HTMLElement {
  return h("div", { class: "empty" }, h("h1", {}, "No times of ranks were read"),
    h("p", {}, "Logs and findings alone do not say when each rank was where. Record the job with ", h("code", {}, "lockstep run -- torchrun …"), ", or give a folder with flight-recorder dumps or traces."));
}

function build(report: Report, spans: Spans, holder: HTMLElement): TimelineCanvas {
  const chosen = h("section", { class: "card chosen-call", "aria-live": "polite" });
  const canvas = new TimelineCanvas(report, spans, (span, row) => {
    if (span >= 0) replaceChildren(chosen, spanDetail(spans, span, (other) => canvas.choose(other)));
    else if (row) replaceChildren(chosen, rowDetail(spans, row, canvas.describeRow(row)));
  });
  replaceChildren(chosen, h("h2", {}, "Choose a call"), h("p", { class: "muted" }, "Click a collective (or press ↓, then .) to see its shape, its duration and the other ranks."));
  replaceChildren(holder, h("h1", { class: "offscreen" }, "Timeline"), controls(report, canvas), canvas.element, h("div", { class: "panels" }, atTheEnd(spans, canvas), chosen));
  // For measuring how fast it draws.
  (globalThis as { lockstepTimeline?: TimelineCanvas }).lockstepTimeline = canvas;
  return canvas;
}

function controls(report: Report, canvas: TimelineCanvas): HTMLElement {
  const { spans } = canvas;
  const button = (text: string, says: string, run: () => void) => h("button", { type: "button", title: says, "aria-label": text.length === 1 ? says : null, click: run }, text);
  const waits = h("button", { type: "button", "aria-pressed": "true", title: "Draw who waits for whom in the chosen collective (w)" }, "Who waits for whom");
  waits.addEventListener("click", () => {
    canvas.showsWaits = !canvas.showsWaits;
    waits.setAttribute("aria-pressed", String(canvas.showsWaits));
    canvas.draw();
  });
  const fold = h("button", { type: "button", "aria-pressed": String(canvas.isFolded), title: "Many ranks as one row; those that began something stay apart" }, "Fold ranks");
  fold.addEventListener("click", () => {
    canvas.fold(!canvas.isFolded);
    fold.setAttribute("aria-pressed", String(canvas.isFolded));
  });
  return h(
    "div",
    { class: "controls" },
    button("−", "Zoom out", () => canvas.zoom(1 / 0.6)),
    button("+", "Zoom in", () => canvas.zoom(0.6)),
    button("All", "Show all of it (0)", () => canvas.showAll()),
    button("Steps", "Zoom to the steps (s)", () => canvas.showSteps()),
    button("End", "Jump to where it ends (e)", () => canvas.goToEnd([...report.guilty][0])),
    spans.facts.ranks.length > 4 && fold,
    waits,
    foldedAway(canvas),
    h("span", { class: "push" }),
    button("Export trace", "Save as a Chrome trace for Perfetto", () => download(chromeTrace(spans), "lockstep-trace.json")),
    h("span", { class: "legend" },
      h("span", {}, h("i", { class: "work" }), "working"),
      h("span", {}, h("i", { class: "waiting" }), "waiting for others"),
      h("span", {}, h("i", { class: "transfer" }), "transfer"),
      h("span", {}, h("i", { class: "stuck" }), "never finished"),
      spans.facts.stops.some(Boolean) && h("span", {}, h("i", { class: "ended" }), "process ended")),
  );
}

// What the view leaves out before and behind, each a button that brings it back.
function foldedAway(canvas: TimelineCanvas): HTMLElement {
  const { view, folded } = canvas;
  const { seen_us: seen } = canvas.spans.facts;
  const before = h("button", { type: "button", hidden: true, title: "Show the start of the job", click: () => (view.show(0, view.to), canvas.draw()) });
  const behind = h("button", { type: "button", hidden: true, title: "Show all until the end", click: () => (view.show(view.from, view.length), canvas.draw()) });
  const show = ({ from, to }: { from: number; to: number }) => {
    before.hidden = from !== folded.from || folded.from === 0;
    behind.hidden = to < folded.to || to >= seen || folded.to >= seen;
    before.textContent = `◂ start-up, ${duration(from)}`;
    behind.textContent = `${duration(seen - to)} more ▸`;
  };
  show(folded); // as it will be seen first, so that nothing jumps
  canvas.onView = () => show(view);
  return h("span", { class: "folded-away" }, before, behind);
}

function isOdd(spans: Spans, one: Stuck): boolean {
  return one.meeting >= 0 && one.label !== spans.facts.meetings.label[one.meeting];
}

function atTheEnd(spans: Spans, canvas: TimelineCanvas): HTMLElement {
  const stuck = stuckAtTheEnd(spans).slice(0, 12);
  return h(
    "section",
    { class: "card" },
    h("h2", {}, "Where the ranks are at the end"),
    stuck.length === 0
      ? h("p", { class: "muted" }, "Every call that was recorded finished.")
      : h("ul", { class: "stuck-list" }, stuck.map((one) => stuckIn(spans, one, canvas))),
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

// Of ranks whose processes ended it is told where they were.
function verbOf(spans: Spans, one: Stuck): string {
  const areGone = one.ranks.every((rank) => spans.facts.stops[spans.facts.ranks.indexOf(rank)]);
  if (areGone) return one.ranks.length === 1 ? " was in " : " were in ";
  return one.ranks.length === 1 ? " waits in " : " wait in ";
}

function stuckIn(spans: Spans, one: Stuck, canvas: TimelineCanvas): HTMLElement {
  const { meetings, labels, sites } = spans.facts;
  const [name, ...shape] = (labels[one.label] ?? "call").split(" of ");
  const missing = one.meeting >= 0 ? meetingOf(spans, one.meeting).missing : [];
  const sequence = one.meeting >= 0 ? ` #${meetings.sequence[one.meeting]}` : "";
  const site = spans.site[one.firstSpan];
  return h("li", { class: isOdd(spans, one) ? "guilty" : "" },
    h("b", {}, capital(rankWord(one.ranks))), verbOf(spans, one),
    h("button", { type: "button", class: "link", click: () => canvas.choose(one.firstSpan) }, visible(name) + sequence),
    shape.length > 0 && ` of ${visible(shape.join(" of "))}`,
    isOdd(spans, one) && " where the others called something else",
    missing.length > 0 && h("span", { class: "guilty" }, " for ", h("b", {}, rankWord(missing))),
    site >= 0 && h("span", { class: "site" }, visible(sites[site])));
}
