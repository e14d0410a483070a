/** Splits a selection into a filter of the index and the remaining conditions. */

import type { LabelTerm as StoredTerm, SeriesFilter } from '../../../storage/storage.js';
import type { Expr, PlannedLabelTerm, PlannedSelection, SelectionTarget } from '../plan/plan.js';

/** A series is selected if the filter finds it and all terms and conditions hold for it. */
interface FilteredSelection {
  readonly filter: SeriesFilter & { readonly names: readonly string[] | null };
  readonly terms: readonly PlannedLabelTerm[];
  readonly conditions: readonly Expr[];
}

/** Puts ids, lists of label values and lists of metric names into the filter. */
export function filterOf(selection: PlannedSelection): FilteredSelection {
  const { target, terms, conditions } = selection;
  if (target.kind === 'metric' && conditions.length === 0 && terms.every(isListOfLabel)) {
    const filter = { namePrefix: null, names: [target.name], terms: terms.map(storedTerm) };
    return { filter: { ...filter, isAny: false }, terms: [], conditions };
  }
  const lists = terms.filter(isList);
  const names = namesOf(target, lists);
  const unwanted = lists.filter(({ on, op }) => on.kind === 'metric' && op === 'notIn');
  const unwantedNames = new Set(unwanted.flatMap(({ values }) => values));
  const ids = idsOf(target, conditions);
  const stored = [...lists.flatMap(termOfList), ...conditions.flatMap(termOfNull)];
  return {
    filter: {
      namePrefix: names === null && target.kind === 'family' ? target.prefix : null,
      names: names?.filter((name) => !unwantedNames.has(name)) ?? null,
      terms: stored,
      isAny: false,
      ...(ids === null ? {} : { ids: BigUint64Array.from(ids) }),
    },
    terms: [...terms.filter((term) => !isList(term)), ...(names === null ? unwanted : [])],
    conditions: conditions.filter((one) => listedIds(one) === null && termOfNull(one).length === 0),
  };
}

/** Most selections consist only of such terms. */
function isListOfLabel(term: PlannedLabelTerm): boolean {
  return isList(term) && term.on.kind === 'label';
}

function isList({ op }: PlannedLabelTerm): boolean {
  return op === 'in' || op === 'notIn';
}

/** The names left by the target and the lists of names; null if neither lists names. */
function namesOf(
  target: SelectionTarget,
  lists: readonly PlannedLabelTerm[],
): readonly string[] | null {
  let names = target.kind === 'metric' ? [target.name] : null;
  for (const { on, op, values } of lists) {
    if (on.kind !== 'metric' || op !== 'in') continue;
    const wanted = new Set(values);
    names = (names ?? [...wanted]).filter((name) => wanted.has(name));
  }
  if (names === null || target.kind !== 'family') return names;
  return names.filter((name) => name.startsWith(target.prefix));
}

function idsOf(target: SelectionTarget, conditions: readonly Expr[]): readonly bigint[] | null {
  let ids = target.kind === 'by_id' ? target.ids : null;
  for (const condition of conditions) {
    const listed = listedIds(condition);
    if (listed === null) continue;
    const wanted = new Set(listed);
    ids = (ids ?? [...wanted]).filter((id) => wanted.has(id));
  }
  return ids?.filter((id) => id === BigInt.asUintN(64, id)) ?? null;
}

/** The ids of `series_id = …` and `series_id in (…)`. */
function listedIds(condition: Expr): readonly bigint[] | null {
  if (condition.kind === 'in' && !condition.negated) {
    return isSeriesId(condition.operand) ? integersOf(condition.items) : null;
  }
  if (condition.kind !== 'compare' || condition.op !== '=') return null;
  const { left, right } = condition;
  if (isSeriesId(left)) return integersOf([right]);
  return isSeriesId(right) ? integersOf([left]) : null;
}

function isSeriesId(expr: Expr): boolean {
  return expr.kind === 'column' && expr.column === 'series_id';
}

function integersOf(items: readonly Expr[]): readonly bigint[] | null {
  const integers = items.flatMap((item) =>
    item.kind === 'literal' && typeof item.value === 'bigint' ? [item.value] : [],
  );
  return integers.length === items.length ? integers : null;
}

function termOfList(term: PlannedLabelTerm): readonly StoredTerm[] {
  return term.on.kind === 'metric' ? [] : [storedTerm(term)];
}

/** REQUIRES: the term lists values of a label. */
function storedTerm({ on, op, values }: PlannedLabelTerm): StoredTerm {
  const key = on.kind === 'label' ? on.key : '';
  return { key, values, isNegated: op === 'notIn', acceptsMissing: false };
}

/** Terms of `tag.x is [not] null`; empty for other conditions. */
function termOfNull(condition: Expr): readonly StoredTerm[] {
  if (condition.kind !== 'isNull' || condition.operand.kind !== 'label') return [];
  const { operand, negated } = condition;
  return [{ key: operand.key, values: [], isNegated: negated, acceptsMissing: !negated }];
}
