/** Aggregations that the addon makes of the rows while it reads them. */

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

/** What the addon makes of a leaf's rows. */
export interface LeafRows extends OfRows {
  readonly leaf: Leaf;
}

/** Null: what is aggregated is computed first. */
export function foldedLeafOf({ op, of, isWithout, labels }: Aggregation): FoldedLeaf | null {
  const known = nativeNames.stepFolds.find((name) => name === op);
  const leaf = known === undefined || isInvariant(of) ? null : leafOf(of);
  if (known === undefined || leaf === null) return null;
  return { leaf, fold: { op: known, isBy: !isWithout, keys: labels }, kept: null };
}

/** Null as above, and where the source does not aggregate. */
export async function foldedLeaf(asked: AskedAggregation): Promise<VectorValue | null> {
  const { aggregation, frame, evaluate } = asked;
  const folded = evaluate.context.source.folds ? foldedLeafOf(aggregation) : null;
  if (folded === null) return null;
  const { leaf, fold, kept } = folded;
  return leaf.read({ frame, evaluate, of: { fold, kept } });
}
