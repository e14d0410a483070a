/** quantile by (…) (…): the quantile of a group's values at each step. */

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
  const groups = groupsOf(rows, groupingOf(aggregation));
  const members = rowsById(groups.ids, groups.count);
  const steps = frame.count;
  const values = evaluate.context.cells.make(groups.count * steps);
  const present = new Uint8Array(values.length);
  const pace = new Pace();
  for (let id = 0; id < groups.count; id += 1) {
    const of = members.rows.subarray(members.starts[id], members.starts[id + 1]);
    for (let step = 0; step < steps; step += 1) {
      const column = columnOf(rows, of, { step, steps });
      if (column.length === 0) continue;
      values[id * steps + step] = quantileOf(quantiles[step] ?? NaN, column);
      present[id * steps + step] = 1;
      if (pace.isDue(of.length + 1)) await evaluate.context.guard.breathe();
    }
  }
  evaluate.context.cells.giveBack(rows.values);
  return withoutEmptyRows(vectorOf({ labels: groups.labels, values, present, dropsName: null }));
}

function columnOf(
  { values, present }: VectorValue,
  rows: Uint32Array,
  { step, steps }: { readonly step: number; readonly steps: number },
): Float64Array {
  const cells = rows.map((row) => row * steps + step);
  const kept = present === null ? cells : cells.filter((cell) => present[cell] === 1);
  return Float64Array.from(kept, (cell) => values[cell] ?? NaN);
}

/** Sorts `values`, NaN before all others. REQUIRES: at least one value. */
function quantileOf(quantile: number, values: Float64Array): number {
  if (Number.isNaN(quantile)) return NaN;
  if (quantile < 0) return -Infinity;
  if (quantile > 1) return Infinity;
  const sorted = nansFirst(values.sort());
  const rank = quantile * (sorted.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(sorted.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return (sorted[lower] ?? NaN) * (1 - weight) + (sorted[upper] ?? NaN) * weight;
}

function nansFirst(sorted: Float64Array): Float64Array {
  const first = sorted.findIndex(Number.isNaN);
  if (first <= 0) return sorted;
  const turned = new Float64Array(sorted.length);
  turned.set(sorted.subarray(first));
  turned.set(sorted.subarray(0, first), sorted.length - first);
  return turned;
}
