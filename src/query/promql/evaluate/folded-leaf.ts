/** Aggregations that the addon computes while it reads the rows. */

import { leafOf, type Leaf } from '../functions/range-functions.js';
import { isInvariant } from './invariant.js';
import { nativeNames, type StepFold } from '../../../storage/storage.js';

import type { Aggregation } from '../syntax/ast.js';
import type { AskedAggregation } from '../vectors/context.js';
import type { OfRows } from '../vectors/leaf.js';
import type { VectorValue } from '../vectors/value.js';

interface FoldedLeaf extends LeafRows {
  readonly fold: StepFold;
}

/** A leaf, and the addon's work on its rows. */
export interface LeafRows extends OfRows {
  readonly leaf: Leaf;
}

/** Null if the operand must be computed first. */
export function foldedLeafOf({ op, of, isWithout, labels }: Aggregation): FoldedLeaf | null {
  const known = nativeNames.stepFolds.find((name) => name === op);
  const leaf = known === undefined || isInvariant(of) ? null : leafOf(of);
  if (known === undefined || leaf === null) return null;
  return { leaf, fold: { op: known, isBy: !isWithout, keys: labels }, kept: null };
}

/** Null if foldedLeafOf() gives null, or the source does not aggregate. */
export async function foldedLeaf(asked: AskedAggregation): Promise<VectorValue | null> {
  const { aggregation, frame, evaluate } = asked;
  const folded = evaluate.context.source.folds ? foldedLeafOf(aggregation) : null;
  if (folded === null) return null;
  const { leaf, fold, kept } = folded;
  return leaf.read({ frame, evaluate, of: { fold, kept } });
}
