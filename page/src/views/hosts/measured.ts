// What real packets took between any two hosts: the figure stands in each cell, its step is told by colour as well.

import type { Measures } from "../../data/contents";
import { h, replaceChildren, visible } from "../../ui/dom";
import { median, stepsOf, unitOf, type Figure } from "./figures";
import { hostGrid, manyHosts, type Cell } from "./host_grid";

const mostNamed = 3;
const isFarFromMost = 2;

const ends: Record<string, string> = {
  refused: "was refused",
  unreachable: "was unreachable",
  silent: "got no answer at all",
  no_answer: "was made, but no agent answered",
  wrong_host: "was answered by another host",
  large_lost: "lost large packets",
  large_lost_back: "lost large packets on the way back",
};

export function figuresIn(measures: Measures): Record<"latency" | "bandwidth", Figure> {
  return {
    latency: { name: "Latency", values: measures.latency_us, isHighBad: true, units: [["µs", 1], ["ms", 1e3]] },
    bandwidth: { name: "Bandwidth", values: measures.megabytes_per_s, isHighBad: false, units: [["MB/s", 1], ["GB/s", 1e3]] },
  };
}

export function measuredMap(measures: Measures, figure: Figure): HTMLElement[] {
  const { hosts, from, to } = measures;
  const places = new Map(from.map((source, i) => [source * hosts.length + to[i], i]));
  const failures = new Map(measures.failures.map((one) => [one.from * hosts.length + one.to, one]));
  const steps = stepsOf(figure);
  const { unit, write } = unitOf(figure);
  const hasFigures = hosts.length <= manyHosts;
  const middle = median(figure.values);

  const inWords = (source: number, destination: number): string => {
    const place = places.get(source * hosts.length + destination);
    const failure = failures.get(source * hosts.length + destination);
    if (source === destination) return "the host itself";
    if (place !== undefined) return `${write(figure.values[place])} ${unit}${steps.bounds.length > 1 ? `, step ${steps.of(figure.values[place])} of ${steps.bounds.length}` : ""}`;
    return failure ? `not measured: the connection to port ${failure.port}${failure.needed_by.length > 0 ? ` for ${failure.needed_by.join(", ")}` : ""} ${ends[failure.end] ?? "did not come about"}` : "not measured";
  };
  const cellAt = (source: number, destination: number): Cell => {
    const place = places.get(source * hosts.length + destination);
    const says = `${source + 1} to ${destination + 1}: ${visible(inWords(source, destination))}`;
    if (source === destination) return { text: "", kind: "itself", says };
    if (place === undefined) return failures.has(source * hosts.length + destination) ? { text: "x", kind: "blocked", says } : { text: "–", kind: "not-known", says };
    const step = steps.of(figure.values[place]);
    return { text: hasFigures ? write(figure.values[place]) : String(step), kind: `step step-${step}`, says };
  };

  const order = figure.values.map((_, i) => i).sort((a, b) => (figure.isHighBad ? 1 : -1) * (figure.values[b] - figure.values[a]));
  const worst = order[0];
  const told = h("div", { class: "decides", "aria-live": "polite" }, h("p", { class: "muted" }, "Choose a cell to read it in words."));
  const tell = (source: number, destination: number) => replaceChildren(told,
    h("p", {}, h("b", {}, visible(hosts[source])), " to ", h("b", {}, visible(hosts[destination])), `: ${visible(inWords(source, destination))}.`));
  const far = order.slice(0, mostNamed).filter((i) => (figure.isHighBad ? figure.values[i] / middle : middle / figure.values[i]) >= isFarFromMost);
  return [
    h("p", { class: "explanation" },
      figure.isHighBad ? "There and back, for a small message. " : "One way, for one connection. ",
      `A row sends to the columns; ${hasFigures ? `figures are in ${unit}` : "each cell shows its step"}. Half of the pairs have ${write(middle)} ${unit} or ${figure.isHighBad ? "less" : "more"}. `,
      far.length > 0
        ? [`Far from it: `, far.map((i) => `${visible(hosts[from[i]])} to ${visible(hosts[to[i]])} with ${write(figure.values[i])}`).join(", "), "."].join("")
        : "No pair is far from it."),
    h("ol", { class: "scale", "aria-label": "Steps of the scale" }, steps.bounds.map(([low, high], i) =>
      h("li", {}, h("i", { class: `step step-${i + 1}`, "aria-hidden": "true" }, i + 1), `${write(low)}–${write(high)} ${unit}${i === 0 ? ", best" : i === steps.bounds.length - 1 ? ", worst" : ""}`))),
    hostGrid({ names: hosts, label: `${figure.name} between the hosts`, cellAt, tell, first: [from[worst], to[worst]] }),
    told,
  ];
}
