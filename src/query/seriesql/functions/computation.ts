import { aggregateFunctions, type AggregateName } from './aggregate-functions.js';

import type { AggregateFunction, Computation } from './aggregate-function.js';

/** A call of an aggregate in a plan. */
interface AggregateCall {
  readonly name: AggregateName;
  readonly isDistinct: boolean;
}

/** The computation of the call. */
export function computationOf({ name, isDistinct }: AggregateCall): Computation {
  const all: AggregateFunction = aggregateFunctions[name];
  return isDistinct ? (all.distinct ?? all) : all;
}
