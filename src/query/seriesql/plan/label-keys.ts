/** The labels that a statement names. */

import { visitAll } from './check/expr.js';

import type { Expr, SelectItem, PlannedSelection, SelectPlan } from './plan.js';

type NamedKeys = readonly string[];

/** Plans of the same shape share their items. */
const known = new WeakMap<readonly SelectItem[], NamedKeys>();

/** The keys in all clauses except FROM and WHERE. */
export function keysOfSelect(plan: SelectPlan): NamedKeys {
  const found = known.get(plan.items);
  if (found !== undefined) return found;
  const keys = keysIn(expressionsOf(plan));
  known.set(plan.items, keys);
  return keys;
}

/** The keys in the conditions that select the series. */
export function keysOfSelection({ terms, conditions }: PlannedSelection): NamedKeys {
  const ofTerms = terms.flatMap(({ on }) => (on.kind === 'label' ? [on.key] : []));
  return [...new Set([...ofTerms, ...keysIn(conditions)])];
}

function expressionsOf({ items, shape, having, orderBy }: SelectPlan): readonly Expr[] {
  const all = items.flatMap((item) => (item.kind === 'star' ? [] : [item.expr]));
  all.push(...orderBy.map(({ expr }) => expr));
  if (having !== null) all.push(having);
  if (shape.kind === 'raw') all.push(...shape.windows.map(({ argument }) => argument));
  if (shape.kind !== 'grouped') return all;
  const argumentsOf = shape.aggregates.flatMap(({ argument }) => argument ?? []);
  return [...all, ...shape.keys, ...argumentsOf];
}

function keysIn(expressions: readonly Expr[]): NamedKeys {
  const keys = new Set<string>();
  for (const expression of expressions) {
    visitAll(expression, (part) => {
      if (part.kind === 'label') keys.add(part.key);
    });
  }
  return [...keys];
}
