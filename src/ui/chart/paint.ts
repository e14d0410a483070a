/** Lines onto a canvas: gaps stay empty, single points are dots, and no extreme is left out. */

import { placeFrom, type Line } from './lines.js';

import type { LineStyle } from './colours.js';

/** Where on the canvas, in its own pixels. */
export interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Its pixels that are one of the page. */
  readonly ratio: number;
  readonly xOf: (x: number) => number;
  readonly yOf: (value: number) => number;
  /** Of the axis of time, in ticks. */
  readonly from: number;
  readonly to: number;
}

/** What a theme draws with. */
export interface Palette {
  readonly lines: readonly string[];
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly ground: string;
  readonly band: string;
  readonly font: string;
}

export interface Painted {
  readonly line: Line;
  readonly style: LineStyle;
}

interface Scene {
  readonly lines: readonly Painted[];
  readonly envelope: Line | null;
  /** The id of the line that is lifted above the others; null: none. */
  readonly lifted: string | null;
  /** The mean of each bucket is the line; else all of its values are. */
  readonly isMean: boolean;
}

/** So few lines have a band of their own. */
const kBandsMax = 8;
const kBandAlpha = 0.16;
const kDimAlpha = 0.2;
/** Long paths and round corners take a software canvas ten times as long as short and cut ones. */
const kPieceBuckets = 32;
const dashOf = { solid: [], dashed: [6, 4], dotted: [1.5, 3.5] } as const;

export function paint(
  context: CanvasRenderingContext2D,
  frame: Frame,
  scene: Scene & { readonly palette: Palette },
): void {
  const { lines, envelope, lifted, palette, isMean } = scene;
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.width, frame.height);
  context.clip();
  context.lineJoin = 'bevel';
  if (envelope !== null)
    fillBand(context, frame, { line: envelope, colour: palette.band, alpha: 1 });
  const isFew = lines.length <= kBandsMax;
  // Those of means are wide, and lie over one another.
  const overlying = isMean && lifted === null ? lines.length : 1;
  const bandAlpha = kBandAlpha / Math.sqrt(overlying);
  const ordered = [...lines].sort(
    (one, two) => Number(one.line.id === lifted) - Number(two.line.id === lifted),
  );
  for (const { line, style } of ordered) {
    const colour = palette.lines[style.colour] ?? palette.text;
    const isDim = lifted !== null && line.id !== lifted;
    if (isFew && !isDim) fillBand(context, frame, { line, colour, alpha: bandAlpha });
    context.globalAlpha = isDim ? kDimAlpha : 1;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = frame.ratio * (line.id === lifted ? 2.2 : isFew ? 1.5 : 1.1);
    context.setLineDash(dashOf[style.dash].map((one) => one * frame.ratio));
    strokeLine(context, frame, { line, isMean, isWhole: style.dash !== 'solid' });
  }
  context.restore();
}

/** The places to draw: those inside, and one more on each side. */
function inside({ xs }: Line, { from, to }: Frame): readonly [number, number] {
  return [Math.max(0, placeFrom(xs, from) - 1), Math.min(xs.length, placeFrom(xs, to) + 1)];
}

interface Stroke {
  readonly line: Line;
  readonly isMean: boolean;
  /** In one path, so that dashes go on. */
  readonly isWhole: boolean;
}

function strokeLine(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { line, isMean, isWhole }: Stroke,
): void {
  const { xs, first, min, max, last, gapTicks } = line;
  const { xOf, yOf } = frame;
  const [start, end] = inside(line, frame);
  let isAlone = true;
  let before = -Infinity;
  context.beginPath();
  for (let at = start; at < end; at += 1) {
    const x = xs[at] ?? NaN;
    const [one = NaN, low = NaN, high = NaN, final = NaN] = [first[at], min[at], max[at], last[at]];
    if (!Number.isFinite(low) || !Number.isFinite(high)) {
      before = -Infinity;
      continue;
    }
    const px = xOf(x);
    const isJoined = x - before <= gapTicks;
    if (isJoined) context.lineTo(px, yOf(one));
    else context.moveTo(px, yOf(one));
    if (!isMean && low !== high) {
      context.lineTo(px, yOf(low));
      context.lineTo(px, yOf(high));
      context.lineTo(px, yOf(final));
    }
    isAlone = !isJoined && !((xs[at + 1] ?? Infinity) - x <= gapTicks);
    if (isAlone && (isMean || low === high))
      dot(context, { x: px, y: yOf(one), radius: frame.ratio * 1.6 });
    before = x;
    if (isWhole || at % kPieceBuckets > 0) continue;
    context.stroke();
    context.beginPath();
    context.moveTo(px, yOf(isMean ? one : final));
  }
  context.stroke();
}

function dot(
  context: CanvasRenderingContext2D,
  { x, y, radius }: { readonly x: number; readonly y: number; readonly radius: number },
): void {
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.moveTo(x, y);
}

interface Band {
  readonly line: Line;
  readonly colour: string;
  readonly alpha: number;
}

/** Between the smallest and the largest values, gap by gap. */
function fillBand(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { line, colour, alpha }: Band,
): void {
  if (line.min === line.max) return;
  const [start, end] = inside(line, frame);
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.beginPath();
  for (let from = start; from < end;) {
    let to = from + 1;
    while (to < end && (line.xs[to] ?? 0) - (line.xs[to - 1] ?? 0) <= line.gapTicks) to += 1;
    bandPiece(context, frame, { line, from, to });
    from = to;
  }
  context.fill();
}

interface Piece {
  readonly line: Line;
  readonly from: number;
  readonly to: number;
}

function bandPiece(
  context: CanvasRenderingContext2D,
  { xOf, yOf }: Frame,
  { line, from, to }: Piece,
): void {
  const { xs, min, max } = line;
  for (let at = from; at < to; at += 1) context.lineTo(xOf(xs[at] ?? 0), yOf(max[at] ?? 0));
  for (let at = to - 1; at >= from; at -= 1) context.lineTo(xOf(xs[at] ?? 0), yOf(min[at] ?? 0));
  context.closePath();
  const next = to < xs.length ? to : from;
  context.moveTo(xOf(xs[next] ?? 0), yOf(max[next] ?? 0));
}
