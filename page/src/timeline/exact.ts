// The spans themselves, when there are few enough to be seen one by one.

import { Kind, type Spans } from "../data/spans";
import type { Palette } from "./palette";
import type { Row } from "./rows";
import { axisHeight, gutter, type Viewport } from "./viewport";

const most = 5000;

export function fewEnough(spans: Spans, view: Viewport, rows: Row[]): boolean {
  if (view.rowHeight < 6) return false;
  let count = 0;
  const last = Math.min(rows.length - 1, view.row(view.height));
  for (let row = Math.max(0, view.row(axisHeight)); row <= last; row++) {
    if (rows[row].members.length > 1) return false;
    const [rank] = rows[row].members;
    count += spansIn(spans, rank, view);
    if (count > most) return false;
  }
  return true;
}

function spansIn(spans: Spans, rank: number, view: Viewport): number {
  let low = spans.firstAt(rank, view.from);
  const first = low;
  let high = spans.first[rank + 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans.begin[middle] < view.to) low = middle + 1;
    else high = middle;
  }
  return low - first;
}

export class Exact {
  private hatch: CanvasPattern | null = null;
  private hatchColour = "";

  constructor(private readonly spans: Spans) {}

  draw(context: CanvasRenderingContext2D, view: Viewport, rows: Row[], palette: Palette): void {
    const { spans } = this;
    context.save();
    context.beginPath();
    context.rect(gutter, axisHeight, view.plotWidth, view.plotHeight);
    context.clip();
    context.fillStyle = palette.surface;
    context.fillRect(gutter, axisHeight, view.plotWidth, view.plotHeight);
    const last = Math.min(rows.length - 1, view.row(view.height));
    for (let row = Math.max(0, view.row(axisHeight)); row <= last; row++) {
      const [rank] = rows[row].members;
      const top = view.y(row);
      for (let span = spans.firstAt(rank, view.from); span < spans.first[rank + 1] && spans.begin[span] < view.to; span++) {
        if (spans.end[span] < view.from) continue;
        if (spans.kind[span] === Kind.Activity) this.activity(context, view, span, top, palette);
        else this.call(context, view, span, top, palette);
      }
    }
    context.restore();
  }

  // A step or epoch: a thin line under the calls, with ticks where it begins.
  private activity(context: CanvasRenderingContext2D, view: Viewport, span: number, top: number, palette: Palette): void {
    const y = top + view.rowHeight - 3;
    const from = Math.max(gutter, view.x(this.spans.begin[span]));
    const to = view.x(this.spans.end[span]);
    context.fillStyle = palette.activity;
    context.fillRect(from + 1, y, Math.max(0.5, to - from - 1), 1.5);
  }

  private call(context: CanvasRenderingContext2D, view: Viewport, span: number, top: number, palette: Palette): void {
    const { spans } = this;
    const height = view.rowHeight - (view.rowHeight >= 14 ? 7 : 2);
    const from = view.x(spans.begin[span]);
    const middle = view.x(spans.waitEnd[span]);
    const to = Math.max(view.x(spans.busyEnd(span)), from + 1);
    const y = top + 1;
    if (spans.isUnfinished(span)) {
      const left = Math.max(from, gutter);
      context.fillStyle = palette.stuck;
      context.fillRect(left, y, to - left, height);
      context.fillStyle = this.hatchOf(context, palette);
      context.fillRect(left, y, to - left, height);
    } else {
      if (middle > from) {
        context.fillStyle = palette.waiting;
        context.fillRect(Math.max(from, gutter), y, Math.max(0.75, middle - Math.max(from, gutter)), height);
      }
      context.fillStyle = palette.transfer;
      context.fillRect(Math.max(middle, gutter), y, Math.max(0.75, to - Math.max(middle, gutter)), height);
    }
    this.label(context, span, Math.max(from, gutter), Math.max(middle, gutter), Math.min(to, view.width), y, height, palette);
  }

  // Over both colours of its call, in the ink that reads on each.
  private label(context: CanvasRenderingContext2D, span: number, from: number, middle: number, to: number, y: number, height: number, palette: Palette): void {
    const { spans } = this;
    const room = to - from - 10;
    if (room < 28 || height < 11) return;
    const name = spans.kind[span] === Kind.Run ? `${spans.number[span]} calls` : (spans.facts.labels[spans.label[span]] ?? "");
    const sequence = spans.meeting[span] >= 0 ? ` #${spans.facts.meetings.sequence[spans.meeting[span]]}` : "";
    const full = name.split(" ")[0] + sequence;
    const fits = Math.floor(room / 6.2);
    const text = full.length <= fits ? full : full.slice(0, Math.max(0, fits - 1)) + "…";
    context.font = "11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
    context.textBaseline = "middle";
    if (height >= 44 && spans.site[span] >= 0) {
      const site = spans.facts.sites[spans.site[span]].split(" in ")[0];
      if (site.length <= fits) this.line(context, span, site, from, middle, to, y + 9, height, palette);
    }
    this.line(context, span, text, from, middle, to, y - (height >= 44 ? 9 : 0), height, palette);
  }

  private line(context: CanvasRenderingContext2D, span: number, text: string, from: number, middle: number, to: number, y: number, height: number, palette: Palette): void {
    if (this.spans.isUnfinished(span)) {
      context.fillStyle = palette.stuck;
      context.fillRect(from + 2, y + height / 2 - 8, context.measureText(text).width + 8, 16);
      return this.inked(context, text, palette.onStuck, from, to, from, y, height);
    }
    this.inked(context, text, palette.onWaiting, from, middle, from, y, height);
    this.inked(context, text, palette.onTransfer, Math.max(from, middle), to, from, y, height);
  }

  private inked(context: CanvasRenderingContext2D, text: string, ink: string, left: number, right: number, from: number, y: number, height: number): void {
    if (right <= left) return;
    context.save();
    context.beginPath();
    context.rect(left, y, right - left, height);
    context.clip();
    context.fillStyle = ink;
    context.fillText(text, from + 5, y + height / 2 + 0.5);
    context.restore();
  }

  private hatchOf(context: CanvasRenderingContext2D, palette: Palette): CanvasPattern | string {
    if (this.hatch && this.hatchColour === palette.surface) return this.hatch;
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const pen = tile.getContext("2d")!;
    pen.strokeStyle = palette.surface;
    pen.globalAlpha = 0.55;
    pen.lineWidth = 1.4;
    pen.beginPath();
    for (const at of [-6, 0, 6]) {
      pen.moveTo(at, 6);
      pen.lineTo(at + 6, 0);
    }
    pen.stroke();
    this.hatch = context.createPattern(tile, "repeat");
    this.hatchColour = palette.surface;
    return this.hatch ?? palette.stuck;
  }
}
