/** What a statement takes for granted of its metric, and what is told where it is not so. */

import { aggregateFunctions, type AggregateName } from '../functions/aggregate-functions.js';

import { keysOfSelect } from './label-keys.js';

import type { AggregateFunction } from '../functions/aggregate-function.js';
import type { Plan, Selection, SelectPlan } from './plan.js';

export interface AskedOfMetric {
  /** Labels that series have. */
  readonly keys: readonly string[];
  /** A function that heeds the resets of counters; null where there is none. */
  readonly counterFunction: string | null;
}

/** What is told of a metric that is not as a statement takes it. */
export interface MetricNotes {
  /** As far as that is known without a look; null where it is not. */
  known(selection: Selection, asked: AskedOfMetric): readonly string[] | null;
  /** Never rejects. */
  notesOn(selection: Selection, asked: AskedOfMetric): Promise<readonly string[]>;
}

export function askedBySelect(plan: SelectPlan): AskedOfMetric {
  return {
    keys: keysOfSelect(plan),
    counterFunction: aggregateOf(plan, 'isOfCounters'),
  };
}

/** In SELECT and SHOW; null where no series are read. */
export function askedBy(plan: Plan): { selection: Selection; asked: AskedOfMetric } | null {
  const read = plan.kind === 'explain' ? plan.statement : plan;
  if (read.kind === 'insert' || read.kind === 'delete' || read.selection === null) return null;
  const { selection } = read;
  if (read.kind === 'select') return { selection, asked: askedBySelect(read) };
  return { selection, asked: { keys: read.key === null ? [] : [read.key], counterFunction: null } };
}

/** What an aggregate leaves out between two buckets. */
export function notesOfBuckets(plan: Plan): readonly string[] {
  const read = plan.kind === 'explain' ? plan.statement : plan;
  if (read.kind !== 'select' || read.shape.kind !== 'grouped') return [];
  if (!read.shape.keys.some(({ kind }) => kind === 'bucket')) return [];
  const name = aggregateOf(read, 'isGrowth');
  if (name === null) return [];
  return [
    `${name}() of a bucket counts from its first sample to its last; the change from the ` +
      `last sample of a bucket to the first of the next is in no row, so use wide buckets`,
  ];
}

/** The first of that kind. */
function aggregateOf({ shape }: SelectPlan, kind: 'isOfCounters' | 'isGrowth'): string | null {
  if (shape.kind !== 'grouped') return null;
  const isOfKind = (name: AggregateName): boolean => {
    const called: AggregateFunction = aggregateFunctions[name];
    return called[kind] === true;
  };
  return shape.aggregates.find(({ name }) => isOfKind(name))?.name ?? null;
}
