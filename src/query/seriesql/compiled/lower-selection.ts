/** Lowers a selection to a filter of the index, if the index can express all of it. */

import { kI64Max, kI64Min } from '../../../common/model/integers.js';
import { filterOf } from '../execute/selection-filter.js';

import type { SeriesFilter } from '../../../storage/storage.js';
import type { PlannedSelection, SelectPlan } from '../plan/plan.js';

/** Null if a part must be tested on values or on each series. */
export function lowerSelection(selection: PlannedSelection): SeriesFilter | null {
  const { filter, terms, conditions } = filterOf(selection);
  return terms.length + conditions.length > 0 ? null : filter;
}

/** The number of labels that equalities pin; 0 unless the target is one metric. */
export function pinnedLabels({ target, terms }: PlannedSelection): number {
  if (target.kind !== 'metric') return 0;
  const keys: string[] = [];
  for (const { on, op, values } of terms) {
    if (on.kind !== 'label' || op !== 'in' || values.length !== 1) continue;
    if (!keys.includes(on.key)) keys.push(on.key);
  }
  return keys.length;
}

/** Flat pairs of start and end, both inclusive. */
export function lowerIntervals(intervals: SelectPlan['intervals']): BigInt64Array {
  const ranges = new BigInt64Array(2 * intervals.length);
  intervals.forEach(({ start, end }, at) => {
    ranges[2 * at] = start ?? kI64Min;
    ranges[2 * at + 1] = end ?? kI64Max;
  });
  return ranges;
}
