/** A selection as the index takes it: what of it a filter says, and what is left. */

import type { SeriesFilter } from '../storage/storage.js';

import type { Expr, LabelTerm, Selection, SelectionTarget } from './plan/plan.js';

/** The series of the selection are those that the filter finds and that `rest` holds for. */
export interface FilteredSelection {
  readonly filter: SeriesFilter;
  readonly rest: SelectionRest;
}

export interface SelectionRest {
  /** Whether the target is more than the filter says. */
  readonly isOfTarget: boolean;
  readonly terms: readonly LabelTerm[];
  readonly conditions: readonly Expr[];
}

/** Lists of label values and of metric names go into the filter. */
export function filterOf({ target, terms, conditions }: Selection): FilteredSelection {
  const lists = terms.filter(({ op }) => op === 'in' || op === 'notIn');
  const names = namesOf(target, lists);
  const left = lists.filter(({ on, op }) => on.kind === 'metric' && op === 'notIn');
  return {
    filter: {
      namePrefix: names === null && target.kind === 'family' ? target.prefix : null,
      names: names === null ? null : names.filter((name) => passes(name, left)),
      terms: lists.flatMap(({ on, op, values }) =>
        on.kind === 'metric'
          ? []
          : [{ key: on.key, values, isNegated: op === 'notIn', acceptsMissing: false }],
      ),
      isAny: false,
    },
    rest: {
      isOfTarget: target.kind === 'by_id',
      terms: [
        ...terms.filter(({ op }) => op !== 'in' && op !== 'notIn'),
        ...(names === null ? left : []),
      ],
      conditions,
    },
  };
}

export function isNothing({ isOfTarget, terms, conditions }: SelectionRest): boolean {
  return !isOfTarget && terms.length === 0 && conditions.length === 0;
}

function passes(name: string, exclusions: readonly LabelTerm[]): boolean {
  return exclusions.every(({ values }) => !values.includes(name));
}

/** The names that the target and the lists of names leave; null when neither lists any. */
function namesOf(target: SelectionTarget, lists: readonly LabelTerm[]): readonly string[] | null {
  let names = target.kind === 'metric' ? [target.name] : null;
  for (const { on, op, values } of lists) {
    if (on.kind !== 'metric' || op !== 'in') continue;
    const wanted = new Set(values);
    names = (names ?? [...wanted]).filter((name) => wanted.has(name));
  }
  if (names === null || target.kind !== 'family') return names;
  return names.filter((name) => name.startsWith(target.prefix));
}
