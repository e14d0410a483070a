/** Aggregations that the addon makes of the rows while it reads them. */

import { leafOf } from '../functions/range-functions.js';
import { isInvariant } from './invariant.js';

import type { StepFold } from '../../storage/storage.js';
import type { Aggregation } from '../syntax/ast.js';
import type { AskedAggregation } from '../vectors/context.js';
import type { VectorValue } from '../vectors/value.js';

/** Null: what is aggregated is computed first. */
export async function foldedLeaf(asked: AskedAggregation): Promise<VectorValue | null> {
  const { aggregation, frame, evaluate } = asked;
  if (!evaluate.context.source.folds || isInvariant(aggregation.of)) return null;
  const read = leafOf(aggregation.of);
  if (read === null) return null;
  return read({ frame, evaluate, fold: foldOf(aggregation) });
}

function foldOf({ op, isWithout, labels }: Aggregation): StepFold {
  return { op: op as StepFold['op'], isBy: !isWithout, keys: labels };
}
