/** Shared parts of functions that return one of their arguments and skip nulls. */

import { compareValues, type Value } from '../../values/value.js';

import { heldType, NotLowered, type Op } from './lowering.js';

import type { ScalarEvaluation, ScalarFunction } from './scalar-function.js';

/** The largest or smallest argument. */
export function extremeOf(direction: 1 | -1): ScalarEvaluation {
  return (args) => {
    let best: Value = null;
    for (const arg of args) {
      if (arg === null) continue;
      if (best === null || compareValues(arg, best) * direction > 0) best = arg;
    }
    return best;
  };
}

/** One step for the first two arguments, and one more for each further argument. */
export function pairwise(op: Op): ScalarFunction['lower'] {
  return ({ args, type }, to) => {
    const shared = heldType(type);
    if (shared === null) throw new NotLowered();
    return args
      .map((arg) => arg.register(shared))
      .reduce((left, right) => to.step(op, left.type, [left.at, right.at]));
  };
}
