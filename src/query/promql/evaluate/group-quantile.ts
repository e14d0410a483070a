/** quantile by (…) (…): the quantile of a group's values at each step. */

import { inSpans, kSpan, type Pauses } from '../../limits/turns.js';
import { rowsById } from '../labels/row-ids.js';
import { groupingOf, groupsOf } from './groups.js';
import { Pace, type AskedAggregation } from '../vectors/context.js';
import { warnOfQuantile } from '../vectors/quantile-warning.js';
import { vectorOf, withoutEmptyRows, type VectorValue } from '../vectors/value.js';

export async function quantileOfGroups(asked: AskedAggregation): Promise<VectorValue> {
  const { aggregation, frame, evaluate } = asked;
  const { parameter } = aggregation;
  const quantiles =
    parameter === null
      ? new Float64Array(frame.count).fill(NaN)
      : await evaluate.scalar(parameter, frame);
  const rows = await evaluate.vector(aggregation.of, frame);
  if (parameter !== null) {
    const places = { place: parameter.place, by: aggregation.place };
    warnOfQuantile(evaluate.context.notes, quantiles, places);
  }
  const { guard } = evaluate.context;
  const groups = await groupsOf(rows, groupingOf(aggregation), guard);
  const members = await rowsById(groups, guard);
  const steps = frame.count;
  const values = evaluate.context.cells.make(groups.count * steps);
  const present = new Uint8Array(values.length);
  const pace = new Pace();
  for (let id = 0; id < groups.count; id += 1) {
    const of = members.rows.subarray(members.starts[id], members.starts[id + 1]);
    for (let step = 0; step < steps; step += 1) {
      const column = { rows, of, step, steps };
      const asked = quantiles[step] ?? NaN;
      // Most groups are small, and waiting for each takes longer than its quantile.
      const isSmall = of.length <= kSpan;
      const { value, count } = isSmall
        ? quantileOfFew(asked, column)
        : await quantileOfMany(asked, column, guard);
      if (count === 0) continue;
      values[id * steps + step] = value;
      present[id * steps + step] = 1;
      if (pace.isDue(of.length + 1)) await guard.breathe();
    }
  }
  evaluate.context.cells.giveBack(rows.values);
  const made = vectorOf({ labels: groups.labels, values, present, dropsName: null });
  return withoutEmptyRows(made, guard);
}

/** The values of some rows at a step. */
interface Column {
  readonly rows: VectorValue;
  readonly of: Uint32Array;
  readonly step: number;
  readonly steps: number;
}

/** NaN if there are no values, and `count` is 0. */
interface Quantile {
  readonly value: number;
  readonly count: number;
}

function quantileOfFew(quantile: number, column: Column): Quantile {
  const values = new Float64Array(column.of.length);
  const count = copyValues(column, { values, count: 0 }, [0, column.of.length]);
  const rank = rankOf(quantile, count);
  if (typeof rank === 'number') return { value: rank, count };
  const sorted = nansFirst(values.subarray(0, count).sort());
  return { value: between(rank, sorted[rank.lower] ?? NaN, sorted[rank.upper] ?? NaN), count };
}

async function quantileOfMany(quantile: number, column: Column, pauses: Pauses): Promise<Quantile> {
  const all = new Float64Array(column.of.length);
  let count = 0;
  await inSpans(pauses, { count: all.length }, (from, to) => {
    count = copyValues(column, { values: all, count }, [from, to]);
  });
  const rank = rankOf(quantile, count);
  if (typeof rank === 'number') return { value: rank, count };
  const values = all.subarray(0, count);
  const lower = await valueOfRank(values, rank.lower, pauses);
  return { value: between(rank, lower, await valueOfRank(values, rank.upper, pauses)), count };
}

/** Appends the values of some of the rows. Returns the number of values. */
function copyValues(
  { rows: { values, present }, of, step, steps }: Column,
  into: { readonly values: Float64Array; readonly count: number },
  [from, to]: readonly [number, number],
): number {
  let { count } = into;
  for (let at = from; at < to; at += 1) {
    const cell = (of[at] ?? 0) * steps + step;
    if (present === null || present[cell] === 1) into.values[count++] = values[cell] ?? NaN;
  }
  return count;
}

/** The ranks of the two values around a quantile, and the weight of the upper one. */
interface Rank {
  readonly lower: number;
  readonly upper: number;
  readonly weight: number;
}

/** The result itself if it needs no values. */
function rankOf(quantile: number, count: number): Rank | number {
  if (Number.isNaN(quantile) || count === 0) return NaN;
  if (quantile < 0) return -Infinity;
  if (quantile > 1) return Infinity;
  const rank = quantile * (count - 1);
  const lower = Math.max(0, Math.floor(rank));
  return { lower, upper: Math.min(count - 1, lower + 1), weight: rank - Math.floor(rank) };
}

const between = ({ weight }: Rank, lower: number, upper: number): number =>
  lower * (1 - weight) + upper * weight;

/** Turns sorted values so that NaN is before all others. */
function nansFirst(sorted: Float64Array): Float64Array {
  const first = sorted.findIndex(Number.isNaN);
  if (first <= 0) return sorted;
  const turned = new Float64Array(sorted.length);
  turned.set(sorted.subarray(first));
  turned.set(sorted.subarray(0, first), sorted.length - first);
  return turned;
}

/** The value at `rank` of the sorted values, NaN first: quickselect, with pauses. */
async function valueOfRank(values: Float64Array, rank: number, pauses: Pauses): Promise<number> {
  let [rest, at] = [values, rank];
  while (rest.length > kSpan) {
    const pivot = pivotOf(rest);
    const parts = await partsOf(rest, pivot, pauses);
    const { less, greater } = parts;
    if (at < less.length) rest = less;
    else if (at < rest.length - greater.length) return unsigned(pivot);
    else {
      at -= rest.length - greater.length;
      rest = greater;
    }
  }
  const value = nansFirst(rest.slice().sort())[at] ?? NaN;
  return rest === values ? value : unsigned(value);
}

/** Of equal zeros a pivot is any, so the sign of zero is always the same. */
const unsigned = (value: number): number => value + 0;

/** The values from which a pivot is taken. */
const kPivotSample = 31;

/** The median of some values chosen at random, so that no order of values is slow. */
function pivotOf(values: Float64Array): number {
  const sample = Float64Array.from(
    { length: kPivotSample },
    () => values[Math.floor(Math.random() * values.length)] ?? NaN,
  );
  return nansFirst(sample.sort())[kPivotSample >> 1] ?? NaN;
}

/** The values before and after those that equal the pivot. */
async function partsOf(
  values: Float64Array,
  pivot: number,
  pauses: Pauses,
): Promise<{ readonly less: Float64Array; readonly greater: Float64Array }> {
  const parts = new Float64Array(values.length);
  let [less, greater] = [0, values.length];
  const isNan = Number.isNaN(pivot);
  await inSpans(pauses, { count: values.length }, (from, to) => {
    for (let place = from; place < to; place += 1) {
      const value = values[place] ?? NaN;
      if (value > pivot || (isNan && !Number.isNaN(value))) parts[--greater] = value;
      else if (value < pivot || (!isNan && Number.isNaN(value))) parts[less++] = value;
    }
  });
  return { less: parts.subarray(0, less), greater: parts.subarray(greater) };
}
