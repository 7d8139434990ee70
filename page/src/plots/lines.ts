// A line plot of ranks over steps (uPlot draws it), in the colours of the page.

import uPlot from "uplot";
import { h } from "../ui/dom";
import { colour, onThemeChange } from "../ui/theme";
import type { Summary } from "./summary";

const seriesColours = ["series-1", "series-2", "series-3", "series-4", "series-5", "series-6", "series-7", "series-8"];

const wholeSteps = [0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

export function linePlot(summary: Summary, marked: Set<number>, value: string, says: string, counted = "step"): HTMLElement {
  const element = h("div", { class: "plot lines-plot", role: "img", "aria-label": says });
  let plot: uPlot | null = null;
  const make = () => {
    if (element.clientWidth === 0) return;
    plot?.destroy();
    plot = new uPlot(options(summary, marked, value, counted, element.clientWidth), data(summary), element);
  };
  new ResizeObserver(() => (plot ? plot.setSize({ width: element.clientWidth, height: 240 }) : make())).observe(element);
  onThemeChange(make);
  return element;
}

function data(summary: Summary): uPlot.AlignedData {
  const apart = summary.apart.map((curve) => curve.ys.map((y) => (y !== null && Number.isFinite(y) ? y : null)));
  return summary.isWhole ? [summary.xs, ...apart] : [summary.xs, summary.low, summary.high, summary.middle, ...apart];
}

function options(summary: Summary, marked: Set<number>, value: string, counted: string, width: number): uPlot.Options {
  const axis: uPlot.Axis = { stroke: colour("muted"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 }, font: "11px system-ui" };
  const few = summary.xs.length <= 60;
  const named = summary.apart.map((curve, i): uPlot.Series => {
    const isMarked = marked.has(curve.rank);
    return {
      label: `${isMarked ? "▶ " : ""}${curve.rank < 0 ? "log" : `rank ${curve.rank}`}`,
      stroke: isMarked ? colour("guilty") : colour(seriesColours[i % seriesColours.length]),
      width: isMarked ? 2.5 : 1.25,
      points: { show: few, size: 5 },
      value: (_, y) => (y === null || y === undefined ? "–" : y.toPrecision(5)),
    };
  });
  const spread: uPlot.Series[] = summary.isWhole ? [] : [
    { label: "lowest", stroke: colour("line"), width: 1, points: { show: false } },
    { label: "highest", stroke: colour("line"), width: 1, points: { show: false } },
    { label: "middle of all", stroke: colour("ink"), width: 1.5, points: { show: false } },
  ];
  return {
    width,
    height: 240,
    scales: { x: { time: false } },
    axes: [{ ...axis, label: counted, labelSize: 18, labelFont: "11px system-ui", size: 30, incrs: wholeSteps }, { ...axis, label: value, labelSize: 18, labelFont: "11px system-ui", size: 60 }],
    series: [{ label: counted }, ...spread, ...named],
    bands: summary.isWhole ? [] : [{ series: [2, 1], fill: colour("band") }],
    cursor: { drag: { x: true, y: false } },
  };
}
