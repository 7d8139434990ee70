// What is under the pointer, beside it: the call, its shape, where in the program it stands, and how long it took.

import { Kind, type Spans } from "../data/spans";
import { h, replaceChildren, visible } from "../ui/dom";
import { duration, plural } from "../ui/words";
import { describeRow, type Row } from "./rows";
import { stopOf } from "./stops";
import { gutter, type Viewport } from "./viewport";

export class HoverCard {
  readonly element = h("div", { class: "hover-card", hidden: true });
  private shown = -1;

  constructor(private readonly spans: Spans) {}

  show(span: number, row: Row | undefined, x: number, y: number, view: Viewport): void {
    const stop = row && stopOf(this.spans, row);
    const isBehind = span < 0 && stop && view.time(x) >= stop.at_us;
    if (span < 0 && !isBehind) return this.hide();
    const { element } = this;
    if (isBehind) replaceChildren(element, h("b", {}, `${describeRow(row!, this.spans.facts.ranks)}: ${stop.words}`), h("span", { class: "muted" }, `at ${duration(stop.at_us)}`));
    else if (span !== this.shown) replaceChildren(element, this.lines(span));
    this.shown = isBehind ? -1 : span;
    element.hidden = false;
    const left = x + 14 + element.offsetWidth > view.width ? x - 14 - element.offsetWidth : x + 14;
    const top = y + 16 + element.offsetHeight > view.height ? y - 10 - element.offsetHeight : y + 16;
    element.style.transform = `translate(${Math.max(gutter, left)}px, ${Math.max(0, top)}px)`;
  }

  hide(): void {
    this.element.hidden = true;
  }

  private lines(span: number): HTMLElement[] {
    const { spans } = this;
    const { facts } = spans;
    const label = spans.kind[span] === Kind.Run ? plural(spans.number[span], "call") : (facts.labels[spans.label[span]] ?? "call");
    const sequence = spans.meeting[span] >= 0 ? ` #${facts.meetings.sequence[spans.meeting[span]]}` : "";
    const [name, ...shape] = label.split(" of ");
    const waited = spans.waitEnd[span] - spans.begin[span];
    const time = spans.isUnfinished(span)
      ? `never finished; began at ${duration(spans.begin[span])}`
      : `${duration(spans.end[span] - spans.begin[span])}${waited > 0 ? `, of that ${duration(waited)} waiting` : ""}`;
    const site = spans.site[span] >= 0 ? facts.sites[spans.site[span]] : "";
    return [
      h("b", {}, `rank ${facts.ranks[spans.rankOf(span)]}: ${visible(name)}${sequence}`),
      ...(shape.length > 0 ? [h("span", {}, visible(shape.join(" of ")))] : []),
      ...(site ? [h("code", {}, visible(site))] : []),
      h("span", { class: spans.isUnfinished(span) ? "guilty" : "muted" }, time),
    ];
  }
}
