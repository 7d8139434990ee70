// The colours of the style sheet as the canvases need them.

import { colour } from "../ui/theme";

type Rgb = [number, number, number];

export interface Palette {
  ink: string;
  muted: string;
  line: string;
  surface: string;
  guilty: string;
  accent: string;
  waiting: string;
  transfer: string;
  stuck: string;
  activity: string;
  ended: string;
  onWaiting: string;
  onTransfer: string;
  onStuck: string;
  rgb: { surface: Rgb; waiting: Rgb; transfer: Rgb; stuck: Rgb };
}

function rgb(hex: string): Rgb {
  const value = parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

export function readPalette(): Palette {
  const [surface, waiting, transfer, stuck] = ["plot", "waiting", "transfer", "stuck"].map(colour);
  return {
    ink: colour("ink"),
    muted: colour("muted"),
    line: colour("line"),
    surface,
    guilty: colour("guilty"),
    accent: colour("accent"),
    waiting,
    transfer,
    stuck,
    activity: colour("activity"),
    ended: colour("ended"),
    onWaiting: colour("on-waiting"),
    onTransfer: colour("on-transfer"),
    onStuck: colour("on-stuck"),
    rgb: { surface: rgb(surface), waiting: rgb(waiting), transfer: rgb(transfer), stuck: rgb(stuck) },
  };
}
