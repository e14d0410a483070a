/**
 * `a + b + c` is a tree that leans left and may have thousands of operators. Walkers loop over a
 * chain, since recursion would overflow the stack.
 */

import type { Binary, Expression } from './ast.js';

interface Chain {
  /** The leftmost operand. */
  readonly first: Expression;
  /** From the innermost operator to the outermost. */
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
