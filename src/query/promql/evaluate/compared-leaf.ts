/** Comparisons with a number, which the addon applies while it reads values. */

import { leafOf } from '../functions/range-functions.js';
import { unwrapped } from '../functions/arguments.js';
import { asTheyAre } from '../vectors/leaf.js';
import { chainOf } from '../syntax/chain.js';
import { compute, isComparison, isSetOp } from '../vectors/operators.js';
import { foldedLeafOf } from './folded-leaf.js';
import { isInvariant } from './invariant.js';

import type { StepComparison } from '../../../storage/storage.js';
import type { PromqlBinary, PromqlComparisonOp, PromqlExpression } from '../syntax/ast.js';
import type { LeafRows } from './folded-leaf.js';
import type { AskedBinary } from '../vectors/context.js';
import type { VectorValue } from '../vectors/value.js';

/** The addon's comparison for `value op number`. */
const ops: Readonly<Record<PromqlComparisonOp, StepComparison['op']>> = {
  ...{ '==': '=', '!=': '!=', '<': '<', '<=': '<=', '>': '>', '>=': '>=' },
};
/** The addon's comparison for `number op value`. */
const turnedOps: Readonly<Record<PromqlComparisonOp, StepComparison['op']>> = {
  ...{ '==': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' },
};

/** Null if comparedLeafOf() gives null, or the source does not compare. */
export async function comparedLeaf(asked: AskedBinary): Promise<VectorValue | null> {
  const { binary, frame, evaluate } = asked;
  const compared = evaluate.context.source.folds ? comparedLeafOf(binary) : null;
  if (compared === null) return null;
  const { leaf, fold, kept } = compared;
  return leaf.read({ frame, evaluate, of: { fold, kept } });
}

/** Null if both sides must be computed first. */
export function comparedLeafOf({ op, isBool, left, right }: PromqlBinary): LeafRows | null {
  if (isBool || !isComparison(op)) return null;
  const rightNumber = numberOf(right);
  const than = rightNumber ?? numberOf(left);
  if (than === null) return null;
  const isTurned = rightNumber === null;
  const compared = silentLeafOf(isTurned ? right : left);
  return compared && { ...compared, kept: { op: (isTurned ? turnedOps : ops)[op], than } };
}

/**
 * The rows of a leaf, or their aggregate, if annotations and errors do not depend on which rows
 * exist.
 */
export function silentLeafOf(expression: PromqlExpression): LeafRows | null {
  const inner = unwrapped(expression);
  if (isInvariant(inner)) return null;
  const leaf = inner.kind === 'aggregation' ? null : leafOf(inner);
  const rows = inner.kind === 'aggregation' ? foldedLeafOf(inner) : leaf && { leaf, ...asTheyAre };
  return rows?.leaf.isSilent === true ? rows : null;
}

function computed(outermost: PromqlBinary): number | null {
  if (outermost.type !== 'scalar') return null;
  const { first, operators } = chainOf(outermost);
  let value = numberOf(first);
  for (const { op, right } of operators) {
    const number = numberOf(right);
    if (value === null || number === null || isComparison(op) || isSetOp(op)) return null;
    value = compute(op, value, number);
  }
  return value;
}

/** The value of a numeric literal or its arithmetic: `-5`, `1024 * 1024`; otherwise null. */
function numberOf(expression: PromqlExpression): number | null {
  switch (expression.kind) {
    case 'number':
      return expression.value;
    case 'parens':
      return numberOf(expression.of);
    case 'unary': {
      const of = numberOf(expression.of);
      return of === null || expression.op === '+' ? of : -of;
    }
    case 'binary':
      return computed(expression);
    default:
      return null;
  }
}
