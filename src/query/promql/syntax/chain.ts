/**
 * `a + b + c` is a tree that leans left and may have thousands of operators. Walkers loop over a
 * chain, since recursion would overflow the stack.
 */

import type { PromqlBinary, PromqlExpression } from './ast.js';

interface OperatorChain {
  /** The leftmost operand. */
  readonly first: PromqlExpression;
  /** From the innermost operator to the outermost. */
  readonly operators: readonly PromqlBinary[];
}

export function chainOf(outermost: PromqlBinary): OperatorChain {
  const operators = [outermost];
  let first = outermost.left;
  while (first.kind === 'binary') {
    operators.push(first);
    first = first.left;
  }
  return { first, operators: operators.reverse() };
}
