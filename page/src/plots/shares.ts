// One column for each rank, stacked: what share of its time it worked, moved data, and waited for others.

import { h } from "../ui/dom";
import { colour, onThemeChange } from "../ui/theme";
import { share } from "../ui/words";

export interface RankShare {
  rank: number;
  waiting: number; // 0 to 1
  transfer: number;
}

const height = 180;
const left = 44;
const bottom = 22;
const widestColumn = 64;

export function sharePlot(all: RankShare[], marked: Set<number>): HTMLElement {
  const canvas = h("canvas");
  const told = h("p", { class: "muted reading" }, "\u00a0");
  const holder = h("div", { class: "plot", role: "img", "aria-label": "Share of waiting and transfer for each rank; the table below has the numbers" }, canvas);
  let width = 0;
  const draw = () => {
    width = holder.clientWidth;
    if (width === 0) return;
    const ratio = devicePixelRatio;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    paint(pen, all, marked, width);
  };
  new ResizeObserver(draw).observe(holder);
  onThemeChange(draw);
  canvas.addEventListener("pointermove", (event) => {
    const one = all[Math.floor((event.offsetX - left) / columnWidth(width, all.length))];
    if (one) told.textContent = `rank ${one.rank}: ${share(one.waiting)} waiting, ${share(one.transfer)} transfer, ${share(Math.max(0, 1 - one.waiting - one.transfer))} work`;
  });
  const element = h("div", { class: "shares" }, holder, told);
  element.style.maxWidth = `${left + widestColumn * Math.max(all.length, 4)}px`;
  return element;
}

function columnWidth(width: number, count: number): number {
  return Math.min(widestColumn, (width - left) / count);
}

function paint(pen: CanvasRenderingContext2D, all: RankShare[], marked: Set<number>, width: number): void {
  const plotHeight = height - bottom - 6;
  const y = (value: number) => 6 + plotHeight * (1 - value);
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  for (const tick of [0, 0.5, 1]) {
    pen.fillStyle = colour("muted");
    pen.fillText(`${tick * 100}%`, left - 6, y(tick));
    pen.fillStyle = colour("line");
    pen.fillRect(left, y(tick), width - left, 1);
  }
  const each = columnWidth(width, all.length);
  const gap = each > 6 ? Math.min(6, each * 0.2) : 0;
  pen.textAlign = "center";
  const every = Math.max(1, Math.ceil(34 / each));
  all.forEach((one, i) => {
    const x = left + i * each + gap / 2;
    const isMarked = marked.has(one.rank);
    const bar = (from: number, to: number, fill: string) => {
      pen.fillStyle = fill;
      pen.fillRect(x, y(to), Math.max(each - gap, 0.5), y(from) - y(to));
    };
    bar(0, Math.min(1, one.waiting), colour("waiting"));
    bar(Math.min(1, one.waiting), Math.min(1, one.waiting + one.transfer), colour("transfer"));
    if (i % every === 0 || isMarked) {
      pen.fillStyle = colour(isMarked ? "guilty" : "muted");
      pen.fillText(isMarked ? `▶${one.rank}` : String(one.rank), x + (each - gap) / 2, height - bottom / 2);
    }
  });
}
