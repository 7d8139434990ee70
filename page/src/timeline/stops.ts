// Where ranks ended: a mark with how, and grey behind it, so that a dead rank is not taken for one that works.

import type { RankStop } from "../data/contents";
import type { Spans } from "../data/spans";
import type { Palette } from "./palette";
import type { Row } from "./rows";
import { axisHeight, gutter, type Viewport } from "./viewport";

// Of a row of many ranks: where the last of them ended.
export function stopOf(spans: Spans, row: Row): RankStop | null {
  let last: RankStop | null = null;
  for (const rank of row.members) {
    const stop = spans.facts.stops[rank];
    if (!stop) return null;
    if (!last || stop.at_us > last.at_us) last = stop;
  }
  return row.members.length === 1 ? last : last && { ...last, words: "all ended" };
}

export function drawStops(context: CanvasRenderingContext2D, view: Viewport, rows: Row[], spans: Spans, palette: Palette): void {
  context.save();
  context.beginPath();
  context.rect(gutter, axisHeight, view.plotWidth, view.plotHeight);
  context.clip();
  const lastRow = Math.min(rows.length - 1, view.row(view.height));
  for (let index = Math.max(0, view.row(axisHeight)); index <= lastRow; index++) {
    const stop = stopOf(spans, rows[index]);
    if (!stop) continue;
    const x = view.x(stop.at_us);
    const top = view.y(index);
    const height = view.rowHeight - (view.rowHeight >= 5 ? 1 : 0);
    if (x < view.width) {
      context.fillStyle = palette.ended;
      context.fillRect(Math.max(x, gutter), top, view.width - Math.max(x, gutter), height);
      context.fillStyle = stop.was_bad ? palette.guilty : palette.activity;
      if (x >= gutter) context.fillRect(x - 1, top, 3, height);
    }
    name(context, view, stop, x, top, height, palette);
  }
  context.restore();
}

// On the grey where there is room for it, else before the mark.
function name(context: CanvasRenderingContext2D, view: Viewport, stop: RankStop, x: number, top: number, height: number, palette: Palette): void {
  if (height < 12 || x > view.width) return;
  context.font = "600 12px system-ui, sans-serif";
  context.textBaseline = "middle";
  const room = view.width - Math.max(x, gutter) - 4;
  const marked = (stop.was_bad ? "✕ " : "") + stop.words;
  const text = context.measureText(marked).width + 12 <= room ? marked : stop.words;
  const width = context.measureText(text).width + 10;
  const fitsBehind = width <= room;
  // Before the mark stand the names of calls, in the middle of the row.
  const middle = fitsBehind || height < 60 ? top + height / 2 : top + height - 12;
  const left = fitsBehind ? Math.max(x, gutter) + 4 : x - 2 - width;
  if (!fitsBehind) {
    context.fillStyle = palette.surface;
    context.fillRect(left, middle - 9, width, 18);
  }
  context.fillStyle = stop.was_bad ? palette.guilty : palette.muted;
  context.fillText(text, left + 5, middle + 0.5);
}
