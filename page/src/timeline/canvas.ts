// The drawing surface: rows of ranks, an axis, what is chosen, and moving about in it by mouse, touch and keys.

import type { Spans } from "../data/spans";
import { Kind } from "../data/spans";
import type { Report } from "../report";
import { h } from "../ui/dom";
import { onThemeChange } from "../ui/theme";
import { duration } from "../ui/words";
import { drawAxis } from "./axis";
import { Exact, fewEnough } from "./exact";
import { folds, type Stretch } from "./folds";
import { HoverCard } from "./hover";
import { Levels } from "./levels";
import { meetingOf } from "./meetings";
import { readPalette, type Palette } from "./palette";
import { Raster } from "./raster";
import { describeRow, everyRank, folded, foldFrom, type Row } from "./rows";
import { drawStops } from "./stops";
import { drawWaits } from "./waits";
import { axisHeight, gutter, highestRow, Viewport } from "./viewport";

export class TimelineCanvas {
  readonly element: HTMLElement;
  readonly view: Viewport;
  rows: Row[];
  isFolded: boolean;
  showsWaits = true;
  chosenSpan = -1;
  chosenRow = -1;
  readonly folded: Stretch;
  onView = () => {}; // another part is in sight
  private hover: { x: number; y: number } | null = null;
  private readonly canvas = h("canvas", { tabindex: 0, role: "application", "aria-label": "Timeline of the ranks. Arrows pan and choose ranks, plus and minus zoom, comma and full stop choose calls." });
  private readonly context = this.canvas.getContext("2d", { alpha: false })!;
  private readonly raster: Raster;
  private readonly exact: Exact;
  private readonly levels = new Map<boolean, Levels>();
  private readonly card: HoverCard;
  private palette: Palette;
  private isDue = false;

  constructor(
    private readonly report: Report,
    readonly spans: Spans,
    private readonly onChoose: (span: number, row: Row | null) => void,
  ) {
    this.isFolded = spans.facts.ranks.length > foldFrom;
    this.rows = this.isFolded ? folded(report) : everyRank(report);
    this.folded = folds(spans);
    this.view = new Viewport(spans.facts.length_us, this.rows.length);
    this.raster = new Raster(spans);
    this.exact = new Exact(spans);
    this.palette = readPalette();
    this.card = new HoverCard(spans);
    this.element = h("div", { class: "canvas" }, this.canvas, this.card.element);
    // Few ranks need little room; it does not change once it is there.
    this.element.style.maxHeight = `${Math.max(180, axisHeight + spans.facts.ranks.length * highestRow + 10)}px`;
    new ResizeObserver(() => this.resize()).observe(this.element);
    onThemeChange(() => {
      this.palette = readPalette();
      this.draw();
    });
    this.listen();
  }

  fold(isFolded: boolean): void {
    this.isFolded = isFolded;
    this.rows = isFolded ? folded(this.report) : everyRank(this.report);
    this.view.rowCount = this.rows.length;
    this.chosenRow = this.chosenSpan >= 0 ? this.rowOf(this.spans.rankOf(this.chosenSpan)) : -1;
    this.view.fitRows();
    this.draw();
  }

  choose(span: number, mayMove = true): void {
    this.chosenSpan = span;
    const rank = this.spans.rankOf(span);
    this.chosenRow = this.rowOf(rank);
    if (mayMove) {
      const { begin, end } = this.spans;
      if (begin[span] < this.view.from || begin[span] > this.view.to) {
        const room = Math.max((this.view.to - this.view.from) / 2, (end[span] - begin[span]) * 1.5);
        this.view.show(begin[span] - room, begin[span] + room);
      }
      this.view.revealRow(this.chosenRow);
    }
    this.onChoose(span, this.rows[this.chosenRow] ?? null);
    this.draw();
  }

  // The last tenth of what was recorded, or where the marked rank's last calls are.
  goToEnd(rank?: number): void {
    const index = rank === undefined ? 0 : Math.max(0, this.spans.facts.ranks.indexOf(rank));
    let last = -1;
    for (let span = this.spans.first[index + 1] - 1; span >= this.spans.first[index]; span--) {
      if (this.spans.kind[span] === Kind.Activity) continue;
      last = span;
      if (!this.spans.isUnfinished(span) || span === this.spans.first[index] || !this.spans.isUnfinished(span - 1)) break;
    }
    if (last < 0) return this.showAll();
    const calls = this.spans.first[index + 1] - this.spans.first[index];
    const context = this.spans.begin[Math.max(this.spans.first[index], last - Math.min(12, calls))];
    const before = Math.max(this.spans.begin[last] - context, 1);
    const after = Math.min(this.spans.facts.length_us - this.spans.begin[last], before * 0.6);
    this.view.show(this.spans.begin[last] - before * 1.1, this.spans.begin[last] + after);
    this.choose(last, false);
  }

  goTo(rank: number, time: number): void {
    const index = this.spans.facts.ranks.indexOf(rank);
    if (index < 0) return;
    let best = -1;
    for (let span = this.spans.first[index]; span < this.spans.first[index + 1]; span++) {
      if (best < 0 || Math.abs(this.spans.begin[span] - time) < Math.abs(this.spans.begin[best] - time)) best = span;
    }
    if (best < 0) return;
    const from = this.spans.begin[Math.max(this.spans.first[index], best - 12)];
    const room = Math.max(time - from, 1000);
    this.view.show(time - room, time + room);
    this.choose(best);
  }

  showAll(): void {
    this.view.show(0, this.view.length);
    this.draw();
  }

  // The steps themselves: without the start before them and the long wait behind them, which `folded` names.
  showSteps(): void {
    this.view.show(this.folded.from, this.folded.to);
    this.draw();
  }

  zoom(factor: number): void {
    const middle = this.chosenSpan >= 0 && this.spans.begin[this.chosenSpan] >= this.view.from && this.spans.begin[this.chosenSpan] <= this.view.to
      ? this.spans.begin[this.chosenSpan]
      : (this.view.from + this.view.to) / 2;
    this.view.zoom(factor, middle);
    this.draw();
  }

  draw(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.drawNow();
    });
  }

  // Without waiting for the next frame: what a benchmark measures.
  drawNow(): void {
    const { context, view, palette } = this;
    if (view.width === 0) return;
    const ratio = devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = palette.surface;
    context.fillRect(0, 0, view.width, view.height);
    if (fewEnough(this.spans, view, this.rows)) this.exact.draw(context, view, this.rows, palette);
    else this.raster.draw(context, view, this.rows, this.levelsNow(), palette, ratio);
    drawStops(context, view, this.rows, this.spans, palette);
    this.drawRowNames();
    drawAxis(context, view, palette);
    if (this.chosenSpan >= 0) this.drawChosen();
    if (this.hover) this.drawHover(this.hover);
    this.onView();
  }

  spanAt(x: number, y: number): number {
    const row = this.rows[this.view.row(y)];
    if (!row || row.members.length > 1 || y < axisHeight || x < gutter) return -1;
    const [rank] = row.members;
    const time = this.view.time(x);
    const near = ((this.view.to - this.view.from) / this.view.plotWidth) * 4;
    let best = -1;
    for (let span = this.spans.firstAt(rank, time - near); span < this.spans.first[rank + 1] && this.spans.begin[span] <= time + near; span++) {
      if (this.spans.kind[span] === Kind.Activity || this.spans.end[span] < time - near) continue;
      const covers = this.spans.begin[span] <= time && this.spans.end[span] >= time;
      if (best < 0 || covers) best = span;
    }
    return best;
  }

  private levelsNow(): Levels {
    let levels = this.levels.get(this.isFolded);
    if (!levels) {
      levels = new Levels(this.spans, this.rows);
      this.levels.set(this.isFolded, levels);
    }
    return levels;
  }

  private rowOf(rank: number): number {
    return this.rows.findIndex((row) => row.members.includes(rank));
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.element;
    if (clientWidth === 0) return;
    this.canvas.width = Math.round(clientWidth * devicePixelRatio);
    this.canvas.height = Math.round(clientHeight * devicePixelRatio);
    this.view.resize(clientWidth, clientHeight);
    this.view.fitRows();
    this.drawNow();
  }

  private drawRowNames(): void {
    const { context, view, palette } = this;
    context.fillStyle = palette.surface;
    context.fillRect(0, axisHeight, gutter, view.plotHeight);
    context.textBaseline = "middle";
    context.textAlign = "right";
    const every = Math.max(1, Math.ceil(13 / view.rowHeight));
    const last = Math.min(this.rows.length - 1, view.row(view.height));
    for (let index = Math.max(0, view.row(axisHeight)); index <= last; index++) {
      const row = this.rows[index];
      if (index % every !== 0 && !row.isMarked) continue;
      const y = view.y(index) + view.rowHeight / 2;
      if (y < axisHeight + 4) continue;
      context.font = `${row.isMarked ? "600 " : ""}11px system-ui, sans-serif`;
      context.fillStyle = row.isMarked ? palette.guilty : palette.muted;
      if (row.isMarked && every > 1) {
        context.fillStyle = palette.surface;
        context.fillRect(0, y - 7, gutter - 2, 14);
        context.fillStyle = palette.guilty;
      }
      context.fillText(row.isMarked ? `▶ ${row.label}` : row.label, gutter - 8, y);
      if (row.isMarked) context.fillRect(gutter - 3, view.y(index), 3, Math.max(2, view.rowHeight - 1));
    }
    context.textAlign = "left";
    if (this.chosenRow >= 0) {
      context.strokeStyle = palette.accent;
      context.lineWidth = 1.5;
      context.strokeRect(gutter - 0.5, view.y(this.chosenRow) - 0.5, view.plotWidth, view.rowHeight);
    }
  }

  private drawChosen(): void {
    const { context, view, palette, spans } = this;
    const span = this.chosenSpan;
    const from = Math.max(view.x(spans.begin[span]), gutter);
    const to = Math.max(view.x(spans.end[span]), from + 2);
    if (to < gutter || from > view.width) return;
    context.save();
    context.beginPath();
    context.rect(gutter, axisHeight, view.plotWidth, view.plotHeight);
    context.clip();
    if (this.showsWaits && spans.meeting[span] >= 0) {
      drawWaits(context, view, this.rows, spans, meetingOf(spans, spans.meeting[span]), palette);
    }
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.strokeRect(from, view.y(this.chosenRow), to - from, Math.max(3, view.rowHeight - 3));
    context.restore();
  }

  private drawHover({ x, y }: { x: number; y: number }): void {
    this.card.show(this.spanAt(x, y), y < axisHeight ? undefined : this.rows[this.view.row(y)], x, y, this.view);
    const { context, view, palette } = this;
    if (x < gutter) return;
    context.fillStyle = palette.muted;
    context.globalAlpha = 0.5;
    context.fillRect(x, axisHeight, 1, view.plotHeight);
    context.globalAlpha = 1;
    context.font = "11px system-ui, sans-serif";
    const text = duration(view.time(x));
    const width = context.measureText(text).width + 10;
    const left = Math.min(x + 4, view.width - width);
    context.fillStyle = palette.ink;
    context.fillRect(left, 4, width, 17);
    context.fillStyle = palette.surface;
    context.textBaseline = "middle";
    context.fillText(text, left + 5, 13);
  }

  private listen(): void {
    const { canvas, view } = this;
    let drag: { x: number; y: number; hasMoved: boolean } | null = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey) view.pan(0, event.deltaY);
      else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.pan(event.deltaX);
      else view.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), view.time(Math.max(event.offsetX, gutter)));
      this.draw();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      drag = { x: event.offsetX, y: event.offsetY, hasMoved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      this.hover = { x: event.offsetX, y: event.offsetY };
      if (drag) {
        const [dx, dy] = [drag.x - event.offsetX, drag.y - event.offsetY];
        if (drag.hasMoved || Math.abs(dx) + Math.abs(dy) > 3) {
          view.pan(dx, dy);
          drag = { x: event.offsetX, y: event.offsetY, hasMoved: true };
        }
      }
      this.draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.hasMoved) this.pick(event.offsetX, event.offsetY);
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => {
      this.hover = null;
      this.card.hide();
      this.draw();
    });
    canvas.addEventListener("dblclick", (event) => {
      view.zoom(0.25, view.time(event.offsetX));
      this.draw();
    });
    canvas.addEventListener("keydown", (event) => this.onKey(event));
  }

  private pick(x: number, y: number): void {
    const span = this.spanAt(x, y);
    if (span >= 0) return this.choose(span, false);
    const row = this.view.row(y);
    if (y >= axisHeight && this.rows[row]) this.chooseRow(row);
  }

  private chooseRow(row: number): void {
    this.chosenRow = Math.min(Math.max(row, 0), this.rows.length - 1);
    this.chosenSpan = -1;
    this.view.revealRow(this.chosenRow);
    this.onChoose(-1, this.rows[this.chosenRow]);
    this.draw();
  }

  private chooseNext(by: number): void {
    const row = this.rows[this.chosenRow];
    if (!row || row.members.length > 1) return;
    const [rank] = row.members;
    const [first, end] = [this.spans.first[rank], this.spans.first[rank + 1]];
    let span = this.chosenSpan >= first && this.chosenSpan < end ? this.chosenSpan + by : by > 0 ? this.spans.firstAt(rank, this.view.from) : end - 1;
    while (span >= first && span < end && this.spans.kind[span] === Kind.Activity) span += by;
    if (span >= first && span < end) this.choose(span);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.view.plotWidth / 8;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => this.view.pan(-step),
      ArrowRight: () => this.view.pan(step),
      ArrowUp: () => this.chooseRow(this.chosenRow < 0 ? 0 : this.chosenRow - 1),
      ArrowDown: () => this.chooseRow(this.chosenRow + 1),
      "+": () => this.zoom(0.6),
      "=": () => this.zoom(0.6),
      "-": () => this.zoom(1 / 0.6),
      ",": () => this.chooseNext(-1),
      ".": () => this.chooseNext(1),
      "0": () => this.showAll(),
      s: () => this.showSteps(),
      e: () => this.goToEnd([...this.report.guilty][0]),
      w: () => (this.showsWaits = !this.showsWaits),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
    this.draw();
  }

  describeRow(row: Row): string {
    return describeRow(row, this.spans.facts.ranks);
  }
}
