import { computationOf } from '../functions/computation.js';

import type { Accumulator } from '../functions/aggregate-function.js';
import type { Aggregate } from '../plan/plan.js';
import type { Run } from './run.js';

/** An empty accumulator of the aggregate. */
export function accumulatorOf(
  aggregate: Aggregate,
  { unitsPerSecond, guard: { texts } }: Pick<Run, 'unitsPerSecond' | 'guard'>,
): Accumulator {
  const { argument, quantile } = aggregate;
  const argumentType = argument?.type ?? null;
  return computationOf(aggregate).accumulator({ argumentType, quantile, unitsPerSecond, texts });
}
