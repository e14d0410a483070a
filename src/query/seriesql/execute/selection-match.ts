/** Tests whether a selection takes a series. Any index must agree with this definition. */

import { compilePattern } from '../../values/pattern.js';
import { labelOf } from '../plan/series.js';

import type { Expr, PlannedLabelTerm, PlannedSelection, SelectionTarget } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';

type SeriesTest = (series: SeriesInfo) => boolean;

/** `holds`: whether a condition over labels, `metric` and `series_id` is true for a series. */
export function selectionTest(
  selection: PlannedSelection,
  holds: (condition: Expr, series: SeriesInfo) => boolean,
): SeriesTest {
  const inTarget = targetTest(selection.target);
  const terms = selection.terms.map(termTest);
  return (series) =>
    inTarget(series) &&
    terms.every((test) => test(series)) &&
    selection.conditions.every((condition) => holds(condition, series));
}

function targetTest(target: SelectionTarget): SeriesTest {
  switch (target.kind) {
    case 'all':
      return () => true;
    case 'metric':
      return ({ name }) => name === target.name;
    case 'family':
      return ({ name }) => name.startsWith(target.prefix);
    case 'by_id': {
      const ids = new Set(target.ids);
      return ({ id }) => ids.has(id);
    }
  }
}

/** A missing label satisfies no term. */
function termTest(term: PlannedLabelTerm): SeriesTest {
  const satisfies = textTest(term);
  const { on } = term;
  if (on.kind === 'metric') return ({ name }) => satisfies(name);
  return (series) => {
    const value = labelOf(series, on.key);
    return value !== null && satisfies(value);
  };
}

export function textTest({ op, values }: PlannedLabelTerm): (text: string) => boolean {
  if (op === 'in' || op === 'notIn') {
    const set = new Set(values);
    return (text) => set.has(text) === (op === 'in');
  }
  const pattern = compilePattern(values[0] ?? '');
  return (text) => pattern.matches(text) === (op === 'match');
}

/** True if equalities pin every label of the only series. */
export function namesAllLabels(
  { target, terms }: PlannedSelection,
  all: readonly SeriesInfo[],
): boolean {
  const [only] = all;
  if (target.kind !== 'metric' || only === undefined || all.length > 1) return false;
  const pinned = terms.flatMap(({ on, op, values }) =>
    on.kind === 'label' && op === 'in' && values.length === 1 ? [on.key] : [],
  );
  return pinned.length > 0 && only.labels.every(([key]) => pinned.includes(key));
}
