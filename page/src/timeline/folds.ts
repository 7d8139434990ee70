// Which stretch of the timeline a reader wants to see first: the steps, and the moment at which they end.

import { Kind, type Spans } from "../data/spans";

export interface Stretch {
  from: number;
  to: number;
}

// A tenth of the width is no loss; of more, the steps beside it are too narrow to be read.
const shareWorthFolding = 0.1;
// Behind the last thing that began: enough to see that nothing comes any more.
const roomBehind = 0.45;

export function folds(spans: Spans): Stretch {
  const { length_us: length, seen_us: seen, labels, stops } = spans.facts;
  let firstStep = Infinity;
  let lastBegin = 0;
  let lastEnd = 0;
  for (let span = 0; span < spans.facts.spans; span++) {
    const isActivity = spans.kind[span] === Kind.Activity;
    if (isActivity && labels[spans.label[span]] === "step") firstStep = Math.min(firstStep, spans.begin[span]);
    if (isActivity) continue;
    lastBegin = Math.max(lastBegin, spans.begin[span]);
    if (!spans.isUnfinished(span)) lastEnd = Math.max(lastEnd, spans.end[span]);
  }
  const failures = stops.filter((stop) => stop?.was_bad).map((stop) => stop!.at_us);
  const firstFailure = failures.length > 0 ? Math.min(...failures) : 0;
  const busyTo = Math.max(lastBegin, lastEnd, firstFailure);
  const from = firstStep < Infinity && firstStep < busyTo && firstStep > busyTo * shareWorthFolding ? firstStep : 0;
  const to = busyTo + (busyTo - from) * roomBehind;
  const start = from === 0 ? 0 : Math.max(0, from - (busyTo - from) * 0.02);
  return { from: start, to: to < seen * (1 - shareWorthFolding) ? to : length };
}
