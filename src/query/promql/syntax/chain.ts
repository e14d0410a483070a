/**
 * `a + b + c` is a tree that leans to the left, and may have thousands of operators: whoever walks
 * it takes them in a loop, since a call for each would need more stack than there is.
 */

import type { Binary, Expression } from './ast.js';

interface Chain {
  /** Its leftmost operand. */
  readonly first: Expression;
  /** From the innermost to the one that was asked for. */
  readonly operators: readonly Binary[];
}

export function chainOf(outermost: Binary): Chain {
  const operators = [outermost];
  let first = outermost.left;
  while (first.kind === 'binary') {
    operators.push(first);
    first = first.left;
  }
  return { first, operators: operators.reverse() };
}
