// Which part of the timeline is in sight: a stretch of time across, rows down.

export const gutter = 76; // CSS pixels left of the spans, for the names of the rows
export const axisHeight = 26;
export const highestRow = 96;
const shortest = 20; // microseconds across the whole width

export class Viewport {
  from: number;
  to: number;
  rowHeight = 20;
  scroll = 0; // CSS pixels
  width = 0;
  height = 0;

  constructor(readonly length: number, public rowCount: number) {
    this.from = 0;
    this.to = length;
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    this.clamp();
  }

  get plotWidth(): number {
    return Math.max(1, this.width - gutter);
  }

  get plotHeight(): number {
    return Math.max(1, this.height - axisHeight);
  }

  // Rows as high as fits, but neither thinner than a pixel nor higher than is pleasant.
  fitRows(): void {
    this.rowHeight = Math.min(highestRow, Math.max(2, Math.floor(this.plotHeight / Math.max(1, this.rowCount))));
    this.scroll = 0;
  }

  x(time: number): number {
    return gutter + ((time - this.from) / (this.to - this.from)) * this.plotWidth;
  }

  time(x: number): number {
    return this.from + ((x - gutter) / this.plotWidth) * (this.to - this.from);
  }

  y(row: number): number {
    return axisHeight + row * this.rowHeight - this.scroll;
  }

  row(y: number): number {
    return Math.floor((y - axisHeight + this.scroll) / this.rowHeight);
  }

  zoom(factor: number, around: number): void {
    const span = Math.min(Math.max((this.to - this.from) * factor, Math.min(shortest, this.length)), this.length);
    const share = (around - this.from) / (this.to - this.from);
    this.from = around - share * span;
    this.to = this.from + span;
    this.clamp();
  }

  pan(pixels: number, rows = 0): void {
    const by = (pixels / this.plotWidth) * (this.to - this.from);
    this.from += by;
    this.to += by;
    this.scroll += rows;
    this.clamp();
  }

  show(from: number, to: number): void {
    this.from = from;
    this.to = Math.max(to, from + Math.min(shortest, this.length));
    this.clamp();
  }

  revealRow(row: number): void {
    const top = row * this.rowHeight;
    if (top < this.scroll) this.scroll = top;
    if (top + this.rowHeight > this.scroll + this.plotHeight) this.scroll = top + this.rowHeight - this.plotHeight;
    this.clamp();
  }

  private clamp(): void {
    const span = Math.min(this.to - this.from, this.length);
    this.from = Math.min(Math.max(this.from, 0), this.length - span);
    this.to = this.from + span;
    const most = Math.max(0, this.rowCount * this.rowHeight - this.plotHeight);
    this.scroll = Math.min(Math.max(this.scroll, 0), most);
  }
}
