/** The selection of a plan as the index takes it, where the index can say all of it. */

import type { LabelTerm, Selection, SelectPlan } from '../seriesql/plan/plan.js';
import type { SeriesFilter } from '../storage/storage.js';

/** Null when some of it must be asked of each series: patterns, other conditions. */
export function lowerSelection({
  target,
  terms,
  conditions,
}: Selection): BigUint64Array | SeriesFilter | null {
  if (conditions.length > 0 || !terms.every(isList)) return null;
  const filter = {
    namePrefix: target.kind === 'family' ? target.prefix : null,
    names: target.kind === 'metric' ? [target.name] : null,
    terms: terms.map(({ on, op, values }) => ({
      key: on.kind === 'label' ? on.key : '',
      values,
      isNegated: op === 'notIn',
      acceptsMissing: false,
    })),
    isAny: false,
  };
  if (target.kind !== 'by_id') return filter;
  return terms.length === 0 ? BigUint64Array.from(target.ids) : null;
}

function isList({ on, op }: LabelTerm): boolean {
  return on.kind === 'label' && (op === 'in' || op === 'notIn');
}

/** How many labels of a series equalities pin; 0 unless the target is one metric. */
export function pinnedLabels({ target, terms }: Selection): number {
  if (target.kind !== 'metric') return 0;
  const pinned = terms.flatMap(({ on, op, values }) =>
    on.kind === 'label' && op === 'in' && values.length === 1 ? [on.key] : [],
  );
  return new Set(pinned).size;
}

const kI64Min = -(2n ** 63n);
const kI64Max = 2n ** 63n - 1n;

/** Flat pairs of start and end. */
export function lowerIntervals(intervals: SelectPlan['intervals']): BigInt64Array {
  return BigInt64Array.from(
    intervals.flatMap(({ start, end }) => [start ?? kI64Min, end ?? kI64Max]),
  );
}
