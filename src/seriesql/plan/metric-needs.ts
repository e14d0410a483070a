/** What a statement takes for granted of its metric, and what is told where it is not so. */

import { keysOfSelect } from './label-keys.js';

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

const counterFunctions: ReadonlySet<string> = new Set(['increase', 'rate', 'irate']);
/** These count from the first sample of a bucket to its last. */
const growths: ReadonlySet<string> = new Set(['increase', 'delta']);

export function askedBySelect(plan: SelectPlan): AskedOfMetric {
  return {
    keys: keysOfSelect(plan),
    counterFunction: aggregateOf(plan, counterFunctions),
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
  const name = aggregateOf(read, growths);
  if (name === null) return [];
  return [
    `${name}() of a bucket counts from its first sample to its last; the change from the ` +
      `last sample of a bucket to the first of the next is in no row, so use wide buckets`,
  ];
}

function aggregateOf({ shape }: SelectPlan, names: ReadonlySet<string>): string | null {
  if (shape.kind !== 'grouped') return null;
  return shape.aggregates.find(({ name }) => names.has(name))?.name ?? null;
}
