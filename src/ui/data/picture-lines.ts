/** The lines of a picture: the answer of a statement as number arrays. */

import { bucketsOf, envelopeOf, samplesOf, type Looked } from '../chart-statements.js';
import { flat, gapOf, stretches, type ChartLine } from '../chart/lines.js';
import { CsvColumns, type ColumnKind, type Columns } from './csv-columns.js';
import { ask } from './server.js';

import type { BucketWidth } from '../ladder.js';
import type { RankedSeries } from '../chart/picture.js';

interface LineReading {
  readonly wish: Looked;
  readonly drawn: readonly RankedSeries[];
  readonly width: BucketWidth | null;
  readonly signal: AbortSignal;
}

export function linesStatement({ wish, drawn, width }: LineReading): string {
  const keys = drawn.map(({ key }) => key);
  return width === null ? samplesOf(wish, keys) : bucketsOf(wish, keys, width);
}

export async function readLines(reading: LineReading): Promise<readonly ChartLine[]> {
  const { wish, drawn, width } = reading;
  const values = width === null || wish.isCounter ? 1 : wish.by === null ? 4 : 3;
  const kinds: ColumnKind[] = [
    'key',
    'time',
    ...Array.from({ length: values }, () => 'value' as const),
  ];
  const statement = linesStatement(reading);
  const columns = await readColumns(statement, { kinds, origin: wish.window.start, ...reading });
  const rows = width === null ? regrouped(columns) : columns;
  const places = stretches(rows);
  return drawn.flatMap(({ id, key, n }) => {
    const place = places.get(key);
    if (place === undefined) return [];
    const [xs = new Float64Array(), ...figures] = rows.numbers
      .slice(1)
      .map((column) => column.slice(place.start, place.end));
    const points = { xs, ...fourOf(figures) };
    const known = wish.isCounter ? withoutHoles(points) : points;
    return [
      { id, ...known, gapTicks: gapOf(known.xs, { widthTicks: width?.ticks ?? null, samples: n }) },
    ];
  });
}

/** A single figure serves for all four; grouped series have no last value. */
function fourOf(
  figures: readonly Float64Array[],
): Pick<ChartLine, 'mean' | 'min' | 'max' | 'last'> {
  const [mean = new Float64Array(), min, max, last = mean] = figures;
  return min === undefined || max === undefined ? flat(mean) : { mean, min, max, last };
}

/** Drops buckets with one sample, which have no rate. */
export function withoutHoles(
  points: Omit<ChartLine, 'id' | 'gapTicks'>,
): Omit<ChartLine, 'id' | 'gapTicks'> {
  const kept = points.min
    .map((value, at) => (Number.isNaN(value) ? -1 : at))
    .filter((at) => at >= 0);
  return {
    xs: kept.map((at) => points.xs[at] ?? 0),
    ...flat(kept.map((at) => points.min[at] ?? 0)),
  };
}

/** Samples arrive by time; lines need them by series. */
function regrouped({ numbers, keys, rowCount }: Columns): Columns {
  const [names = new Float64Array(), ...others] = numbers;
  const order = Array.from({ length: rowCount }, (_, row) => row);
  order.sort((one, two) => (names[one] ?? 0) - (names[two] ?? 0) || one - two);
  const sorted = [names, ...others].map((column) =>
    Float64Array.from(order, (row) => column[row] ?? NaN),
  );
  return { numbers: sorted, keys, rowCount };
}

export async function readEnvelope(
  wish: Looked,
  width: BucketWidth,
  signal: AbortSignal,
): Promise<ChartLine> {
  const kinds = ['time', 'value', 'value'] as const;
  const statement = envelopeOf(wish, width);
  const { numbers } = await readColumns(statement, { kinds, origin: wish.window.start, signal });
  const [xs = new Float64Array(), min = xs, max = xs] = numbers;
  // A band over many series has many samples a bucket, unless they come more rarely than buckets.
  const gapTicks = gapOf(xs, { widthTicks: width.ticks, samples: Infinity });
  return { id: '', xs, ...{ mean: min, min, max, last: max }, gapTicks };
}

interface PictureColumnOptions {
  readonly kinds: readonly ColumnKind[];
  readonly origin: bigint;
  readonly signal: AbortSignal;
}

export async function readColumns(
  statement: string,
  options: PictureColumnOptions,
): Promise<Columns> {
  const { kinds, origin, signal } = options;
  return ask(async (client) => {
    const columns = new CsvColumns(kinds, origin);
    const pieces = client.streamSeriesql(statement, { format: 'csv', signal });
    for await (const piece of pieces) columns.add(piece);
    return columns.finish();
  });
}
