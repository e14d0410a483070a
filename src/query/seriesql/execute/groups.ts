/** Groups with their keys and aggregates, shared by both engines. */

import { compareValues, type Value } from '../../values/value.js';

import { sortInTurns } from '../../limits/turns.js';

import type { Shape } from '../plan/plan.js';
import type { QueryRun } from './run.js';

export type GroupedShape = Extract<Shape, { kind: 'grouped' }>;

export interface Group {
  readonly keys: readonly Value[];
  readonly aggregates: readonly Value[];
}

/** Sorts into the default order of a SELECT without ORDER BY. */
export function inOrder(
  run: QueryRun,
  groups: readonly Group[],
  shape: GroupedShape,
): Promise<readonly Group[]> {
  return sortInTurns(run.guard, [...groups], (left, right) => {
    for (const at of shape.defaultOrder) {
      const order = compareKeys(left.keys[at] ?? null, right.keys[at] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** Nulls last, false before true. */
export function compareKeys(left: Value, right: Value): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  return compareValues(left, right);
}

/** Equal keys have equal texts. */
export function keyText(keys: readonly Value[]): string {
  return keys
    .map((key) => {
      if (typeof key === 'string') return JSON.stringify(key);
      return typeof key === 'number' ? `f${key}` : String(key);
    })
    .join(',');
}
