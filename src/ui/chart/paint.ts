/**
 * Paints lines onto a canvas. A line follows the mean of each bucket. A pale band shows minimum and
 * maximum, so that no extreme is lost. Gaps stay empty, single points are dots.
 */

import { strokeOf, type LineStyle } from './colours.js';
import { placeFrom, placesWithin, type ChartLine } from './lines.js';

/** The plot's rectangle on the canvas, in canvas pixels. */
export interface PlotFrame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Canvas pixels per CSS pixel. */
  readonly ratio: number;
  readonly xOf: (x: number) => number;
  readonly yOf: (value: number) => number;
  /** The range of the time axis, in ticks. */
  readonly from: number;
  readonly to: number;
}

/** The colours and font of a theme. */
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
  readonly line: ChartLine;
  readonly style: LineStyle;
  /** The range of complete buckets, in ticks: a cut bucket has a misleading mean. Null: all. */
  readonly whole?: readonly [number, number] | null;
}

interface Scene {
  readonly lines: readonly Painted[];
  readonly envelope: ChartLine | null;
  /** The id of the highlighted line; null: none. */
  readonly lifted: string | null;
}

/** Up to this many lines have bands of their own; more lines share one colour. */
const kBandsMax = 8;
const kBandAlpha = 0.16;
const kDimAlpha = 0.2;
/**
 * Buckets per path. On a software canvas, one long path with round joins takes ten times as long as
 * short paths with bevels.
 */
const kPieceBuckets = 32;

export function paint(
  context: CanvasRenderingContext2D,
  frame: PlotFrame,
  scene: Scene & { readonly palette: Palette },
): void {
  const { lines, envelope, lifted, palette } = scene;
  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.width, frame.height);
  context.clip();
  context.lineJoin = 'bevel';
  if (envelope !== null)
    fillBands(context, frame, { lines: [envelope], colour: palette.band, alpha: 1 });
  const isFew = lines.length <= kBandsMax;
  if (!isFew && envelope === null) {
    const all = lines.map(({ line }) => line);
    fillBands(context, frame, { lines: all, colour: palette.band, alpha: 1 });
  }
  // Overlapping bands add up, so each is paler.
  const bandAlpha = kBandAlpha / (lifted === null ? Math.sqrt(lines.length) : 1);
  const ordered = [...lines].sort(
    (one, two) => Number(one.line.id === lifted) - Number(two.line.id === lifted),
  );
  for (const { line, style, whole = null } of ordered) {
    const colour = palette.lines[style.colour] ?? palette.text;
    const isDim = lifted !== null && line.id !== lifted;
    const hasBand = isFew ? !isDim : line.id === lifted;
    if (hasBand) fillBands(context, frame, { lines: [line], colour, alpha: bandAlpha });
    context.globalAlpha = isDim ? kDimAlpha : 1;
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = frame.ratio * (line.id === lifted ? 2.2 : isFew ? 1.5 : 1.1);
    context.setLineDash(strokeOf[style.dash].map((one) => one * frame.ratio));
    strokeLine(context, frame, { line, whole, isOnePath: style.dash !== 'solid' });
  }
  context.restore();
}

/** The index range to draw: the visible points, and one more on each side. */
function inside({ xs }: ChartLine, { from, to }: PlotFrame): readonly [number, number] {
  return [Math.max(0, placeFrom(xs, from) - 1), Math.min(xs.length, placeFrom(xs, to) + 1)];
}

interface Stroke extends Pick<Painted, 'line'> {
  readonly whole: readonly [number, number] | null;
  /** True if the line is one path, so that its dashes continue. */
  readonly isOnePath: boolean;
}

function strokeLine(context: CanvasRenderingContext2D, frame: PlotFrame, stroke: Stroke): void {
  const { line, isOnePath } = stroke;
  const { xs, mean, gapTicks } = line;
  const { xOf, yOf } = frame;
  const [start, end] = placesWithin(line, inside(line, frame), stroke.whole);
  let isAlone = true;
  let before = -Infinity;
  context.beginPath();
  for (let at = start; at < end; at += 1) {
    const x = xs[at] ?? NaN;
    const value = mean[at] ?? NaN;
    if (!Number.isFinite(value)) {
      before = -Infinity;
      continue;
    }
    const px = xOf(x);
    const isJoined = x - before <= gapTicks;
    if (isJoined) context.lineTo(px, yOf(value));
    else context.moveTo(px, yOf(value));
    isAlone = !isJoined && !((xs[at + 1] ?? Infinity) - x <= gapTicks);
    if (isAlone) dot(context, { x: px, y: yOf(value), radius: frame.ratio * 1.6 });
    before = x;
    if (isOnePath || at % kPieceBuckets > 0) continue;
    context.stroke();
    context.beginPath();
    context.moveTo(px, yOf(value));
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

interface Bands {
  readonly lines: readonly ChartLine[];
  readonly colour: string;
  readonly alpha: number;
}

/** Fills the ranges between minimum and maximum, split at gaps; overlapping bands merge. */
function fillBands(
  context: CanvasRenderingContext2D,
  frame: PlotFrame,
  { lines, colour, alpha }: Bands,
): void {
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.beginPath();
  for (const line of lines) addBand(context, frame, line);
  context.fill();
}

function addBand(context: CanvasRenderingContext2D, frame: PlotFrame, line: ChartLine): void {
  if (line.min === line.max) return;
  const [start, end] = inside(line, frame);
  for (let from = start; from < end;) {
    let to = from + 1;
    while (to < end && (line.xs[to] ?? 0) - (line.xs[to - 1] ?? 0) <= line.gapTicks) to += 1;
    bandPiece(context, frame, { line, from, to });
    from = to;
  }
}

interface PaintedPiece {
  readonly line: ChartLine;
  readonly from: number;
  readonly to: number;
}

function bandPiece(
  context: CanvasRenderingContext2D,
  { xOf, yOf }: PlotFrame,
  { line, from, to }: PaintedPiece,
): void {
  const { xs, min, max } = line;
  context.moveTo(xOf(xs[from] ?? 0), yOf(max[from] ?? 0));
  for (let at = from + 1; at < to; at += 1) context.lineTo(xOf(xs[at] ?? 0), yOf(max[at] ?? 0));
  for (let at = to - 1; at >= from; at -= 1) context.lineTo(xOf(xs[at] ?? 0), yOf(min[at] ?? 0));
  context.closePath();
}
