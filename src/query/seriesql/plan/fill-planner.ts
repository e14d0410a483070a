/** Plans FILL: the values of buckets without samples. */

import { constantPlace } from './check/place.js';

import type { FillNode } from '../language/ast.js';
import type { Checker } from './check/checker.js';
import type { Expr, Fill } from './plan.js';

/** Null for `fill(none)`. */
export function planFill(checker: Checker, node: FillNode): Fill | null {
  switch (node.kind) {
    case 'none':
      return null;
    case 'null':
    case 'previous':
    case 'linear':
      return { kind: node.kind };
    case 'expression': {
      const expr = checker.check(node.expr, constantPlace);
      const value = expr.kind === 'literal' ? expr.value : null;
      if (value === null) return { kind: 'null' };
      if (typeof value !== 'boolean') return { kind: 'constant', value };
      const hint = 'fill takes none, null, previous, linear or a number';
      throw checker.fail(node.expr.span.start, 'FILL does not take a boolean', hint);
    }
  }
}

/** The indexes of the keys that are buckets of `time` and can be filled. */
export function bucketPlaces(keys: readonly Expr[]): readonly number[] {
  return keys.flatMap((key, at) => {
    const isBucket =
      key.kind === 'bucket' && key.operand.kind === 'column' && key.operand.column === 'time';
    return isBucket ? [at] : [];
  });
}
