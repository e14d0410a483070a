/** The names of a few lines at their right ends, moved apart so that none overlap. */

import { beginningOf } from '../../common/model/visible-text.js';
import { placeFrom, placesWithin } from './lines.js';

import type { PlotFrame, Painted, Palette } from './paint.js';

/** The most lines that get an end label. */
export const endLabelsMax = 8;
const kGap = 8;
const kLineHeight = 15;

interface EndLabels {
  readonly lines: readonly Painted[];
  readonly names: ReadonlyMap<string, string>;
  readonly palette: Palette;
}

interface Placed {
  readonly text: string;
  readonly colour: string;
  y: number;
}

export function paintEndLabels(
  context: CanvasRenderingContext2D,
  frame: PlotFrame,
  labels: EndLabels,
): void {
  const { ratio, left, width, top, height } = frame;
  const step = kLineHeight * ratio;
  const placed = placedLabels(frame, labels);
  placed.sort((one, two) => one.y - two.y);
  let floor = top + step / 2;
  for (const label of placed) {
    label.y = Math.max(label.y, floor);
    floor = label.y + step;
  }
  let roof = top + height - step / 2;
  for (const label of placed.reverse()) {
    label.y = Math.min(label.y, roof);
    roof = label.y - step;
  }
  context.save();
  context.font = labels.palette.font;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  for (const { text, colour, y } of placed) {
    context.fillStyle = colour;
    context.fillText(text, left + width + kGap * ratio, y);
  }
  context.restore();
}

function placedLabels(frame: PlotFrame, { lines, names, palette }: EndLabels): Placed[] {
  return lines.flatMap(({ line, style, whole = null }) => {
    const seen = placeFrom(line.xs, frame.to + 1);
    const [, end] = placesWithin(line, [0, seen], whole);
    const value = line.mean[end - 1];
    if (value === undefined) return [];
    const text = shortened(names.get(line.id) ?? '');
    const colour = palette.lines[style.colour] ?? palette.text;
    return [{ text, colour, y: frame.yOf(value) }];
  });
}

const kTextMax = 22;

const shortened = (text: string): string =>
  text.length > kTextMax ? `${beginningOf(text, kTextMax - 1)}…` : text;

/** The width of the labels, in CSS pixels. */
export function endLabelWidth(names: readonly string[]): number {
  if (names.length === 0 || names.length > endLabelsMax) return 0;
  const canvas = document.createElement('canvas').getContext('2d');
  if (canvas === null) return 0;
  canvas.font = '12px system-ui, sans-serif';
  const widths = names.map((name) => canvas.measureText(shortened(name)).width);
  return Math.ceil(Math.max(...widths)) + 2 * kGap;
}
