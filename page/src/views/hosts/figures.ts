// Latency and bandwidth in steps from best to worst, and in the unit that fits most of them.

export interface Figure {
  name: string;
  values: number[];
  isHighBad: boolean;
  units: [unit: string, size: number][]; // ascending
}

export interface Steps {
  of(value: number): number; // 1 is best, `count` worst
  bounds: [number, number][]; // of each step, the smaller first
}

export const stepCount = 5;
// Below this ratio of worst to best nothing is worth a colour.
const alike = 1.5;

export function stepsOf({ values, isHighBad }: Figure): Steps {
  const [low, high] = values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, 0]);
  const [best, worst] = isHighBad ? [low, high] : [high, low];
  const ratio = worst / best;
  if (high / low < alike) return { of: () => 1, bounds: [[low, high]] };
  const at = (step: number) => best * ratio ** (step / stepCount);
  return {
    of: (value) => Math.min(stepCount, 1 + Math.floor((stepCount * Math.log(value / best)) / Math.log(ratio) + 1e-9)),
    bounds: Array.from({ length: stepCount }, (_, i) => (isHighBad ? [at(i), at(i + 1)] : [at(i + 1), at(i)])),
  };
}

export function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}

export function unitOf({ values, units }: Figure): { unit: string; write(value: number): string } {
  const middle = median(values);
  const [unit, size] = [...units].reverse().find(([, size]) => middle >= size) ?? units[0];
  return { unit, write: (value) => written(value / size) };
}

function written(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
