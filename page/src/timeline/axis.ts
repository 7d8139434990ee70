// Time along the top, in round numbers.

import { duration } from "../ui/words";
import type { Palette } from "./palette";
import { axisHeight, gutter, type Viewport } from "./viewport";

function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= atLeast)!;
}

export function drawAxis(context: CanvasRenderingContext2D, view: Viewport, palette: Palette): void {
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, view.width, axisHeight);
  context.fillStyle = palette.line;
  context.fillRect(0, axisHeight - 1, view.width, 1);
  const step = roundStep(((view.to - view.from) / view.plotWidth) * 110);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = view.x(time);
    context.fillStyle = palette.line;
    context.fillRect(x, axisHeight - 6, 1, 5);
    context.fillStyle = palette.muted;
    const text = duration(time);
    if (x + context.measureText(text).width + 4 < view.width) context.fillText(text, x + 4, axisHeight / 2 - 1);
  }
  context.fillStyle = palette.muted;
  context.textAlign = "right";
  context.fillText("rank", gutter - 8, axisHeight / 2 - 1);
  context.textAlign = "left";
}
