// The timeline seen from further away: for each row and each of a few thousand equal slices of time, how much of the
// slice its ranks gave to waiting, to transfer, and to calls that never ended. Drawing two million spans a frame is too slow;
// reading one cell for each pixel is not.

import { Kind, type Spans } from "../data/spans";
import type { Row } from "./rows";

export interface Cells {
  columns: number;
  // By row, then by column: 0 to 255 of the slice.
  waiting: Uint8Array;
  transfer: Uint8Array;
  stuck: Uint8Array;
}

const mostCells = 12_000_000;

export class Levels {
  readonly all: Cells[]; // coarsest first

  constructor(private readonly spans: Spans, private readonly rows: Row[]) {
    this.all = [2048, 8192, 32768].filter((columns, i) => i === 0 || columns * rows.length <= mostCells).map((columns) => this.build(columns));
  }

  // The coarsest that still has a cell for each pixel; none: only the spans themselves are fine enough.
  forWindow(share: number, pixels: number): Cells | null {
    return this.all.find((cells) => cells.columns * share >= pixels * 0.9) ?? null;
  }

  private build(columns: number): Cells {
    const size = this.rows.length * columns;
    const cells: Cells = { columns, waiting: new Uint8Array(size), transfer: new Uint8Array(size), stuck: new Uint8Array(size) };
    const sums: Sums = { waiting: new Float32Array(columns), transfer: new Float32Array(columns), stuck: new Float32Array(columns) };
    this.rows.forEach((row, index) => {
      sums.waiting.fill(0);
      sums.transfer.fill(0);
      sums.stuck.fill(0);
      for (const rank of row.members) this.addRank(rank, sums, columns / this.spans.facts.length_us);
      const base = index * columns;
      const scale = 255 / row.members.length;
      for (let i = 0; i < columns; i++) {
        cells.waiting[base + i] = Math.min(255, sums.waiting[i] * scale);
        cells.transfer[base + i] = Math.min(255, sums.transfer[i] * scale);
        cells.stuck[base + i] = Math.min(255, sums.stuck[i] * scale);
      }
    });
    return cells;
  }

  private addRank(rank: number, sums: Sums, scale: number): void {
    const { spans } = this;
    for (let span = spans.first[rank]; span < spans.first[rank + 1]; span++) {
      if (spans.kind[span] === Kind.Activity) continue;
      const waitEnd = spans.waitEnd[span] * scale;
      addShare(spans.isUnfinished(span) ? sums.stuck : sums.waiting, spans.begin[span] * scale, waitEnd);
      addShare(sums.transfer, waitEnd, spans.busyEnd(span) * scale);
    }
  }
}

interface Sums {
  waiting: Float32Array;
  transfer: Float32Array;
  stuck: Float32Array;
}

// Adds to each slot of `sums` how much of it lies between `from` and `to`, both in slots.
export function addShare(sums: Float32Array, from: number, to: number): void {
  if (from < 0) from = 0;
  if (to > sums.length) to = sums.length;
  if (!(to > from)) return;
  const first = from | 0;
  const last = Math.min(to | 0, sums.length - 1);
  if (first === last) {
    sums[first] += to - from;
    return;
  }
  sums[first] += first + 1 - from;
  for (let i = first + 1; i < last; i++) sums[i] += 1;
  sums[last] += to - last;
}
