// Who waits for whom in one collective: a line from each rank that came to the rank that came last, or that never did.

import type { Spans } from "../data/spans";
import { awaitedIn, type Meeting } from "./meetings";
import type { Palette } from "./palette";
import type { Row } from "./rows";
import type { Viewport } from "./viewport";

const mostLines = 200;

export function drawWaits(context: CanvasRenderingContext2D, view: Viewport, rows: Row[], spans: Spans, meeting: Meeting, palette: Palette): void {
  const rowOf = new Map<number, number>();
  rows.forEach((row, index) => row.members.forEach((rank) => rowOf.set(rank, index)));
  const middle = (row: number) => view.y(row) + view.rowHeight / 2;
  const came = spans.facts.meetings.all_came_us[meeting.id];
  const lastTime = Math.max(...meeting.arrivals.map((one) => spans.begin[one.span]));
  const awaited = awaitedIn(spans, meeting);
  // Beside the names of the calls, not across them.
  const at = meeting.isOver ? view.x(came) : view.x(lastTime) + Math.max(4, (view.width - view.x(lastTime)) * 0.85);
  const path = new Path2D();
  let lines = 0;
  const ends: number[] = [];
  for (const target of awaited.slice(0, 8)) {
    const to = rowOf.get(target);
    if (to === undefined) continue;
    ends.push(to);
    for (const { rank, span } of meeting.arrivals) {
      const from = rowOf.get(rank)!;
      if (rank === target || from === to || lines++ > mostLines) continue;
      path.moveTo(Math.max(view.x(spans.begin[span]), at - 12), middle(from));
      path.lineTo(at, middle(from));
      path.lineTo(at, middle(to));
    }
  }
  // A light edge around a dark line: it is seen on every colour.
  for (const [stroke, width] of [[palette.surface, 4], [palette.ink, 1.5]] as const) {
    context.strokeStyle = context.fillStyle = stroke;
    context.lineWidth = width;
    context.stroke(path);
    for (const row of ends) {
      context.beginPath();
      context.arc(at, middle(row), Math.min(5, Math.max(2.5, view.rowHeight / 3)) + (width > 2 ? 2 : 0), 0, Math.PI * 2);
      context.fill();
    }
  }
}
