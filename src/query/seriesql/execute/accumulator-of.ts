import { computationOf } from '../functions/computation.js';

import type { Accumulator } from '../functions/aggregate-function.js';
import type { PlannedAggregate } from '../plan/plan.js';
import type { QueryRun } from './run.js';

/** An empty accumulator of the aggregate. */
export function accumulatorOf(
  aggregate: PlannedAggregate,
  { unitsPerSecond, guard: { texts } }: Pick<QueryRun, 'unitsPerSecond' | 'guard'>,
): Accumulator {
  const { argument, quantile } = aggregate;
  const argumentType = argument?.type ?? null;
  return computationOf(aggregate).accumulator({ argumentType, quantile, unitsPerSecond, texts });
}
