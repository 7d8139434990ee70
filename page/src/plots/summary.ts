// Many ranks in few lines: the middle and the spread of all, and by name only those that stand out.

export interface Curve {
  rank: number;
  xs: number[];
  ys: (number | null)[];
}

export interface Summary {
  xs: number[];
  middle: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  apart: Curve[]; // on the same xs
  isWhole: boolean; // every rank is apart
}

const fewRanks = 8;

export function summarise(curves: Curve[], marked: Set<number>): Summary {
  const xs = [...new Set(curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
  const place = new Map(xs.map((x, i) => [x, i]));
  const aligned = curves.map((curve): Curve => {
    const ys: (number | null)[] = new Array(xs.length).fill(null);
    curve.xs.forEach((x, i) => (ys[place.get(x)!] = curve.ys[i]));
    return { rank: curve.rank, xs, ys };
  });
  const isWhole = curves.length <= fewRanks;
  const column = (i: number) => aligned.map((curve) => curve.ys[i]).filter((y): y is number => y !== null && Number.isFinite(y)).sort((a, b) => a - b);
  const middle: Summary["middle"] = [];
  const low: Summary["low"] = [];
  const high: Summary["high"] = [];
  for (let i = 0; i < xs.length; i++) {
    const values = column(i);
    middle.push(values.length > 0 ? values[values.length >> 1] : null);
    low.push(values.length > 0 ? values[0] : null);
    high.push(values.length > 0 ? values[values.length - 1] : null);
  }
  const apart = isWhole ? aligned : aligned.filter((curve) => marked.has(curve.rank)).slice(0, fewRanks);
  return { xs, middle, low, high, apart, isWhole };
}
