/** The inputs of one run of an engine. */

import { unitsPerSecond as perSecond } from '../../../common/model/timestamp-unit.js';
import type { Evaluator } from '../plan/evaluate.js';
import type { QueryCounters } from './execution.js';
import type { Guard } from '../../limits/guard.js';
import type { SeriesSource } from './source.js';

export interface QueryRun {
  readonly source: SeriesSource;
  readonly evaluator: Evaluator;
  readonly guard: Guard;
  readonly counters: QueryCounters;
  readonly unitsPerSecond: number;
}

export function newRun(of: Omit<QueryRun, 'unitsPerSecond'>): QueryRun {
  const { source, evaluator, guard, counters } = of;
  const unitsPerSecond = Number(perSecond(source.unit));
  return { source, evaluator, guard, counters, unitsPerSecond };
}
