/** The assumptions of a statement about its metric, and the warnings if they are wrong. */

import { aggregateFunctions, type AggregateName } from '../functions/aggregate-functions.js';

import { keysOfSelect } from './label-keys.js';

import type { AggregateFunction } from '../functions/aggregate-function.js';
import type { StatementPlan, PlannedSelection, SelectPlan } from './plan.js';

export interface AskedOfMetric {
  /** Labels that the series should have. */
  readonly keys: readonly string[];
  /** A function that takes counter resets into account; null if there is none. */
  readonly counterFunction: string | null;
}

/** Warnings about a metric that does not match the assumptions of a statement. */
export interface MetricRemarks {
  /** The warnings, if known without a look-up; otherwise null. */
  known(selection: PlannedSelection, asked: AskedOfMetric): readonly string[] | null;
  /** Never rejects. */
  notesOn(selection: PlannedSelection, asked: AskedOfMetric): Promise<readonly string[]>;
}

export function askedBySelect(plan: SelectPlan): AskedOfMetric {
  return {
    keys: keysOfSelect(plan),
    counterFunction: aggregateOf(plan, 'isOfCounters'),
  };
}

/** The assumptions of SELECT and SHOW; null if no series are read. */
export function askedBy(
  plan: StatementPlan,
): { selection: PlannedSelection; asked: AskedOfMetric } | null {
  const read = plan.kind === 'explain' ? plan.statement : plan;
  if (read.kind === 'insert' || read.kind === 'delete' || read.selection === null) return null;
  const { selection } = read;
  if (read.kind === 'select') return { selection, asked: askedBySelect(read) };
  return { selection, asked: { keys: read.key === null ? [] : [read.key], counterFunction: null } };
}

/** Warnings about a SELECT that probably means something else. */
export function notesOnStatement(plan: StatementPlan): readonly string[] {
  const read = plan.kind === 'explain' ? plan.statement : plan;
  if (read.kind !== 'select') return [];
  return [...notesOnTime(read), ...notesOnBuckets(read)];
}

function notesOnTime({ comparesTimeToDuration }: SelectPlan): readonly string[] {
  if (!comparesTimeToDuration) return [];
  return ['time is compared with a duration, as counted from 1970; write time >= now() - 1h'];
}

/** Warnings about changes between two buckets that an aggregate leaves out. */
function notesOnBuckets(read: SelectPlan): readonly string[] {
  if (read.shape.kind !== 'grouped') return [];
  if (!read.shape.keys.some(({ kind }) => kind === 'bucket')) return [];
  const name = aggregateOf(read, 'isGrowth');
  if (name === null) return [];
  return [
    `${name}() of a bucket counts from its first sample to its last; the change from the ` +
      `last sample of a bucket to the first of the next is in no row, so use wide buckets`,
  ];
}

/** The name of the first aggregate of that kind; null if there is none. */
function aggregateOf({ shape }: SelectPlan, kind: 'isOfCounters' | 'isGrowth'): string | null {
  if (shape.kind !== 'grouped') return null;
  const isOfKind = (name: AggregateName): boolean => {
    const called: AggregateFunction = aggregateFunctions[name];
    return called[kind] === true;
  };
  return shape.aggregates.find(({ name }) => isOfKind(name))?.name ?? null;
}
