/** One line as dots of braille, two across and four down in each character. */

import {
  extentOf,
  placeOf,
  shortNumber,
  type ValueExtent,
  type DottedLine,
  type DottedPoint,
} from './line.js';

interface PlotSize {
  readonly columns: number;
  readonly rows: number;
}

const kDotsAcross = 2;
const kDotsDown = 4;
const kBraille = 0x2800;
/** The bit of each dot in a character of braille, by its row and column. */
const dotBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const;

class Canvas {
  readonly #rows: readonly Uint8Array[];
  readonly across: number;
  readonly down: number;

  constructor({ columns, rows }: PlotSize) {
    this.#rows = Array.from({ length: rows }, () => new Uint8Array(columns));
    this.across = columns * kDotsAcross;
    this.down = rows * kDotsDown;
  }

  /** `y` counts from below. */
  dot(x: number, y: number): void {
    const fromAbove = this.down - 1 - y;
    const row = this.#rows[Math.floor(fromAbove / kDotsDown)];
    const column = Math.floor(x / kDotsAcross);
    const bit = dotBits[fromAbove % kDotsDown]?.[x % kDotsAcross] ?? 0;
    if (row !== undefined) row[column] = (row[column] ?? 0) | bit;
  }

  texts(): readonly string[] {
    return this.#rows.map((row) =>
      Array.from(row, (bits) => (bits === 0 ? ' ' : String.fromCharCode(kBraille + bits))).join(''),
    );
  }
}

/** Lines of text, with the bounds of the values at the left. Empty without values. */
export function plot(
  line: DottedLine,
  times: ValueExtent,
  { columns, rows }: PlotSize,
): readonly string[] {
  const values = extentOf(line.points.map(({ value }) => value));
  if (values === null) return [];
  const ends = [shortNumber(values.greatest), shortNumber(values.least)] as const;
  const margin = Math.max(...ends.map((text) => text.length));
  const canvas = new Canvas({ columns: Math.max(1, columns - margin - 2), rows });
  draw(canvas, line.points, { times, values });
  return canvas.texts().map((text, at) => {
    const end = at === 0 ? ends[0] : at === rows - 1 ? ends[1] : '';
    return `${end.padStart(margin)} ${end === '' ? '│' : '┤'}${text}`.trimEnd();
  });
}

interface DotPlace {
  readonly x: number;
  readonly y: number;
}

interface Extents {
  readonly times: ValueExtent;
  readonly values: ValueExtent;
}

function draw(canvas: Canvas, points: readonly DottedPoint[], { times, values }: Extents): void {
  let before: DotPlace | null = null;
  for (const { time, value } of points) {
    if (value === null) {
      before = null;
      continue;
    }
    const x = placeOf(time, times, canvas.across);
    const here = { x, y: placeOf(value, values, canvas.down) };
    stroke(canvas, before ?? here, here);
    before = here;
  }
}

/** All dots on the straight line, one step per unit of its longer side. */
function stroke(canvas: Canvas, from: DotPlace, to: DotPlace): void {
  const steps = Math.max(Math.abs(to.x - from.x), Math.abs(to.y - from.y));
  for (let step = 0; step <= steps; step += 1) {
    const share = steps === 0 ? 0 : step / steps;
    const x = Math.round(from.x + (to.x - from.x) * share);
    canvas.dot(x, Math.round(from.y + (to.y - from.y) * share));
  }
}
