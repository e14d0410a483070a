/** Functions of histograms: classic ones. Native ones are not stored, which is said. */

import { AppError } from '../../../common/errors/app-error.js';
import { inTurns } from '../../limits/turns.js';
import { goQuote } from '../syntax/quote.js';
import { warnOfQuantile } from '../vectors/quantile-warning.js';
import { allRows, vectorOf, withoutEmptyRows, type VectorValue } from '../vectors/value.js';
import { kNameKey } from '../labels/label-table.js';
import { firstRows, rowIds, rowsById } from '../labels/row-ids.js';
import { argumentAt, scalarAt, vectorAt } from './arguments.js';
import { bucketFraction, bucketQuantile, type HistogramBucket } from './buckets.js';

import { eachRow, Pace, type AskedCall } from '../vectors/context.js';
import { definePromql, type PromqlFunction } from './promql-function.js';

const kBoundKey = 'le';

/** A bucket is as much work as so many cells. */
const kCellsOfBucket = 4;

type OfBuckets = (step: number, buckets: readonly HistogramBucket[], metric: string) => number;

/** A row for each histogram, of its buckets at each step. */
async function ofHistograms(asked: AskedCall, place: number, of: OfBuckets): Promise<VectorValue> {
  const { frame, evaluate } = asked;
  const rows = await vectorAt(asked, place);
  const bounds = await boundsOf(asked, rows, place);
  // The name tells histograms apart, although it goes.
  const labels = rows.labels.without([kBoundKey]);
  const { guard } = evaluate.context;
  const grouped = await rowIds(labels, guard);
  const { count } = grouped;
  const members = await rowsById(grouped, guard);
  const values = evaluate.context.cells.make(count * frame.count);
  const present = new Uint8Array(values.length);
  const pace = new Pace();
  for (let id = 0; id < count; id += 1) {
    const own = members.rows.subarray(members.starts[id], members.starts[id + 1]);
    const metric = labels.textOf(own[0] ?? 0, kNameKey);
    for (let step = 0; step < frame.count; step += 1) {
      const buckets = bucketsAt(rows, bounds, { own, step, steps: frame.count });
      if (buckets.length === 0) continue;
      values[id * frame.count + step] = of(step, buckets, metric);
      present[id * frame.count + step] = 1;
      if (pace.isDue((own.length + 1) * kCellsOfBucket)) await guard.breathe();
    }
  }
  evaluate.context.cells.giveBack(rows.values);
  const made = vectorOf({
    ...{ labels: await labels.pick(await firstRows(grouped, guard), guard), values, present },
    dropsName: null,
  });
  return withoutEmptyRows({ ...made, dropsName: allRows(made) }, guard);
}

/** By row; NaN where it has none. */
async function boundsOf(asked: AskedCall, rows: VectorValue, place: number): Promise<Float64Array> {
  const { context } = asked.evaluate;
  const column = rows.labels.columns.get(kBoundKey);
  await column?.unpack(context.guard);
  const known = [NaN];
  await inTurns(context.guard, column?.texts ?? [], (text) => known.push(boundOf(text)));
  const { rowCount } = rows.labels;
  const bounds = new Float64Array(rowCount);
  await eachRow(context, { rowCount, steps: 1 }, (row) => {
    const bound = known[column?.codes[row] ?? 0] ?? NaN;
    if (Number.isNaN(bound)) warnOfBound(asked, rows, { place, row });
    bounds[row] = bound;
  });
  return bounds;
}

function boundOf(text: string): number {
  if (/^[+]?inf(?:inity)?$/i.test(text)) return Infinity;
  if (/^-inf(?:inity)?$/i.test(text)) return -Infinity;
  return /^[+-]?(?:\d|\.\d)/.test(text) ? Number(text) : NaN;
}

function warnOfBound(
  asked: AskedCall,
  { labels }: VectorValue,
  { place, row }: { readonly place: number; readonly row: number },
): void {
  const metric = labels.textOf(row, kNameKey);
  const shown = `value of ${goQuote(labels.textOf(row, kBoundKey))}`;
  const of = metric === '' ? '' : ` for metric name ${goQuote(metric)}`;
  const what = `bucket label "le" is missing or has a malformed ${shown}${of}`;
  asked.evaluate.context.notes.warn(what, argumentAt(asked, place).place, asked.call.place);
}

function bucketsAt(
  { values, present }: VectorValue,
  bounds: Float64Array,
  {
    own,
    step,
    steps,
  }: {
    readonly own: Uint32Array;
    readonly step: number;
    readonly steps: number;
  },
): HistogramBucket[] {
  const buckets: HistogramBucket[] = [];
  for (const row of own) {
    const cell = row * steps + step;
    const bound = bounds[row] ?? NaN;
    if (Number.isNaN(bound) || (present !== null && present[cell] !== 1)) continue;
    buckets.push({ bound, count: values[cell] ?? NaN });
  }
  return buckets;
}

async function histogramQuantile(asked: AskedCall): Promise<VectorValue> {
  const { notes } = asked.evaluate.context;
  const quantiles = await scalarAt(asked, 0);
  warnOfQuantile(notes, quantiles, { place: argumentAt(asked, 0).place, by: asked.call.place });
  return ofHistograms(asked, 1, (step, buckets, metric) => {
    const { value, isForced } = bucketQuantile(quantiles[step] ?? NaN, buckets);
    if (isForced) informOfForce(asked, metric);
    return value;
  });
}

function informOfForce(asked: AskedCall, metric: string): void {
  const page = 'https://prometheus.io/docs/prometheus/latest/querying/functions';
  const what = 'input to histogram_quantile needed to be fixed for monotonicity';
  const of = metric === '' ? '' : ` for metric name ${goQuote(metric)}`;
  const told = `${what} (see ${page}/#histogram_quantile)${of}`;
  asked.evaluate.context.notes.inform(told, argumentAt(asked, 1).place, asked.call.place);
}

async function histogramFraction(asked: AskedCall): Promise<VectorValue> {
  const [lower, upper] = [await scalarAt(asked, 0), await scalarAt(asked, 1)];
  return ofHistograms(asked, 2, (step, buckets) =>
    bucketFraction(lower[step] ?? NaN, upper[step] ?? NaN, buckets),
  );
}

function needsNative({ call }: AskedCall): never {
  throw new AppError(
    'execution_error',
    `${call.name} needs native histograms, which seriesdb does not store; use the _count and _sum series`,
  );
}

/** Refused: the answer would always be empty. */
function ofNative(name: string, what: string): PromqlFunction {
  return definePromql({
    ...{ name, takes: ['vector'], evaluate: needsNative },
    sentence: `${what} of native histograms, which are not stored: it is refused.`,
    example: `${name}(requests_total)`,
    answer: 'refused',
  });
}

export const histogramFunctions: readonly PromqlFunction[] = [
  definePromql({
    name: 'histogram_quantile',
    takes: ['scalar', 'vector'],
    sentence: 'The quantile of classic histograms, interpolated between their buckets.',
    example: 'histogram_quantile(0.9, rate(latency_bucket[5m]))',
    answer: '{} 0.5',
    evaluate: histogramQuantile,
  }),
  definePromql({
    name: 'histogram_fraction',
    takes: ['scalar', 'scalar', 'vector'],
    sentence: 'The share of observations between two bounds, of classic histograms.',
    example: 'histogram_fraction(0, 0.1, rate(latency_bucket[5m]))',
    answer: '{} 0.5',
    evaluate: histogramFraction,
  }),
  ofNative('histogram_count', 'The number of observations'),
  ofNative('histogram_sum', 'The sum of observations'),
  ofNative('histogram_avg', 'The mean'),
  ofNative('histogram_stddev', 'The standard deviation'),
  ofNative('histogram_stdvar', 'The variance'),
];
