// The spans of all ranks in columns, from the bytes that src/report/html/timeline.h describes.

import type { TimelineFacts } from "./contents";

export const enum Kind {
  Collective = 0,
  Call = 1,
  Activity = 2,
  Run = 3,
}

export const enum State {
  Untracked = 0,
  Issued = 1,
  Started = 2,
  Completed = 3,
  Failed = 4,
}

export class Spans {
  readonly first: Uint32Array; // by rank; one more behind the last
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly waitEnd: Float64Array; // from begin to here the rank waited for others
  readonly kind: Uint8Array;
  readonly state: Uint8Array;
  readonly meeting: Int32Array; // -1: none
  readonly label: Int32Array;
  readonly site: Int32Array; // -1: not known
  readonly number: Float64Array; // of a step; of calls in a run
  readonly longest: Float64Array; // by rank: how far before a moment a span that covers it may begin

  constructor(readonly facts: TimelineFacts, bytes: Uint8Array) {
    const count = facts.spans;
    this.first = new Uint32Array(facts.ranks.length + 1);
    this.begin = new Float64Array(count);
    this.end = new Float64Array(count);
    this.waitEnd = new Float64Array(count);
    this.kind = new Uint8Array(count);
    this.state = new Uint8Array(count);
    this.meeting = new Int32Array(count).fill(-1);
    this.label = new Int32Array(count).fill(-1);
    this.site = new Int32Array(count).fill(-1);
    this.number = new Float64Array(count);
    this.longest = new Float64Array(facts.ranks.length);
    this.read(bytes);
  }

  isUnfinished(span: number): boolean {
    const state = this.state[span];
    return this.kind[span] !== Kind.Activity && this.kind[span] !== Kind.Run &&
      (state === State.Issued || state === State.Started || state === State.Failed);
  }

  // The first span of the rank that may still be going on at `time`.
  firstAt(rank: number, time: number): number {
    const from = time - this.longest[rank];
    let low = this.first[rank];
    let high = this.first[rank + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.begin[middle] < from) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  rankOf(span: number): number {
    let low = 0;
    let high = this.first.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.first[middle] <= span) low = middle;
      else high = middle;
    }
    return low;
  }

  private read(bytes: Uint8Array): void {
    const { meetings } = this.facts;
    let at = 0;
    const number = (): number => {
      let value = 0;
      let scale = 1;
      for (;;) {
        const byte = bytes[at++];
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) return value;
        scale *= 128;
      }
    };
    const signed = (): number => {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    };
    let span = 0;
    for (let rank = 0; rank < this.facts.ranks.length; rank++) {
      this.first[rank] = span;
      const end = span + number();
      let begin = 0;
      let meeting = -1;
      for (; span < end; span++) {
        const head = number();
        const kind = head & 3;
        this.kind[span] = kind;
        this.state[span] = (head >> 2) & 7;
        begin += signed();
        const length = number();
        this.begin[span] = begin;
        this.end[span] = begin + length;
        this.waitEnd[span] = begin;
        if (kind === Kind.Collective) {
          meeting += signed() + 1;
          this.meeting[span] = meeting;
          this.label[span] = head & 64 ? number() : meetings.label[meeting];
          const came = meetings.all_came_us[meeting];
          this.waitEnd[span] = came < 0 ? begin + length : Math.min(Math.max(came, begin), begin + length);
        } else if (kind === Kind.Run) {
          this.number[span] = number();
          this.waitEnd[span] = begin + number();
          this.runTransfer.set(span, number());
        } else {
          this.label[span] = number();
          if (kind === Kind.Activity) this.number[span] = number();
        }
        if (head & 32) this.site[span] = number();
        if (this.isUnfinished(span)) this.waitEnd[span] = begin + length;
        if (length > this.longest[rank]) this.longest[rank] = length;
      }
    }
    this.first[this.facts.ranks.length] = span;
  }

  private readonly runTransfer = new Map<number, number>();

  // Where the transfer that follows the waiting ends.
  busyEnd(span: number): number {
    return this.kind[span] === Kind.Run ? this.waitEnd[span] + (this.runTransfer.get(span) ?? 0) : this.end[span];
  }
}
