import { computationOf } from '../functions/computation.js';

import type { Accumulator } from '../functions/aggregate-function.js';
import type { Aggregate } from '../plan/plan.js';

/** An empty accumulator of the aggregate. */
export function accumulatorOf(aggregate: Aggregate, unitsPerSecond: number): Accumulator {
  const { argument, quantile } = aggregate;
  const argumentType = argument?.type ?? null;
  return computationOf(aggregate).accumulator({ argumentType, quantile, unitsPerSecond });
}
