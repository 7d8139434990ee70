// Rows drawn pixel column by pixel column: how a row's ranks spent the time of each column, by colour and strength.
// Its cost follows the pixels, not the spans.

import { Kind, type Spans } from "../data/spans";
import { addShare, type Cells, type Levels } from "./levels";
import type { Palette } from "./palette";
import type { Row } from "./rows";
import { axisHeight, gutter, type Viewport } from "./viewport";

export class Raster {
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private waiting = new Float32Array(0);
  private transfer = new Float32Array(0);
  private stuck = new Float32Array(0);

  constructor(private readonly spans: Spans) {}

  draw(context: CanvasRenderingContext2D, view: Viewport, rows: Row[], levels: Levels, palette: Palette, ratio: number): void {
    const width = Math.max(1, Math.round(view.plotWidth * ratio));
    const height = Math.max(1, Math.round(view.plotHeight * ratio));
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = new ImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.waiting = new Float32Array(width);
      this.transfer = new Float32Array(width);
      this.stuck = new Float32Array(width);
    }
    const [r, g, b] = palette.rgb.surface;
    this.pixels.fill(0xff000000 | (b << 16) | (g << 8) | r);
    const cells = levels.forWindow((view.to - view.from) / view.length, width);
    const last = Math.min(rows.length - 1, view.row(view.height));
    for (let row = Math.max(0, view.row(axisHeight)); row <= last; row++) {
      this.sum(rows[row], row, view, cells, width);
      const top = Math.round((view.y(row) - axisHeight) * ratio);
      const gap = view.rowHeight >= 5 ? Math.max(1, Math.round(ratio)) : 0;
      const bottom = Math.round((view.y(row + 1) - axisHeight) * ratio) - gap;
      this.paint(cells ? 1 : rows[row].members.length, Math.max(0, top), Math.min(height, bottom), width, palette);
    }
    context.putImageData(this.image, Math.round(gutter * ratio), Math.round(axisHeight * ratio));
  }

  private sum(row: Row, index: number, view: Viewport, cells: Cells | null, width: number): void {
    this.waiting.fill(0);
    this.transfer.fill(0);
    this.stuck.fill(0);
    if (cells) this.addCells(index, view, cells, width);
    else for (const rank of row.members) this.addSpans(rank, view, width);
  }

  private addCells(row: number, view: Viewport, cells: Cells, width: number): void {
    const base = row * cells.columns;
    const first = (view.from / view.length) * cells.columns;
    const step = (((view.to - view.from) / view.length) * cells.columns) / width;
    const { waiting, transfer, stuck } = this;
    for (let x = 0; x < width; x++) {
      const cell = base + Math.min(cells.columns - 1, (first + (x + 0.5) * step) | 0);
      waiting[x] += cells.waiting[cell] / 255;
      transfer[x] += cells.transfer[cell] / 255;
      stuck[x] += cells.stuck[cell] / 255;
    }
  }

  private addSpans(rank: number, view: Viewport, width: number): void {
    const { spans } = this;
    const scale = width / (view.to - view.from);
    const end = spans.first[rank + 1];
    for (let span = spans.firstAt(rank, view.from); span < end && spans.begin[span] < view.to; span++) {
      if (spans.kind[span] === Kind.Activity || spans.end[span] < view.from) continue;
      const waitEnd = (spans.waitEnd[span] - view.from) * scale;
      addShare(spans.isUnfinished(span) ? this.stuck : this.waiting, (spans.begin[span] - view.from) * scale, waitEnd);
      addShare(this.transfer, waitEnd, (spans.busyEnd(span) - view.from) * scale);
    }
  }

  private paint(members: number, top: number, bottom: number, width: number, palette: Palette): void {
    if (bottom <= top) return;
    const { surface, waiting, transfer, stuck } = palette.rgb;
    const line = this.pixels.subarray(top * width, (top + 1) * width);
    for (let x = 0; x < width; x++) {
      const w = this.waiting[x] / members;
      const t = this.transfer[x] / members;
      const s = this.stuck[x] / members;
      const all = Math.min(1, w + t + s);
      if (all === 0) continue;
      // Amber and blue mixed are mud; what there is most of gives the colour, all of it together the strength.
      const most = s >= w && s >= t ? stuck : w >= t ? waiting : transfer;
      const rest = 1 - all;
      const red = surface[0] * rest + most[0] * all;
      const green = surface[1] * rest + most[1] * all;
      const blue = surface[2] * rest + most[2] * all;
      line[x] = 0xff000000 | (blue << 16) | (green << 8) | red;
    }
    for (let y = top + 1; y < bottom; y++) this.pixels.copyWithin(y * width, top * width, (top + 1) * width);
  }
}
