/** Rows of arithmetic operators in the syntax tree, and the result type of an operator. */

import type { ArithmeticOp } from '../../functions/arithmetic.js';
import type { Expression } from '../../language/ast.js';
import type { StaticType } from '../../../values/value.js';

export type Binary = Extract<Expression, { kind: 'binary' }>;
export type OpNode = Binary & { readonly op: ArithmeticOp };

interface OperatorRow {
  /** The leftmost operand. */
  readonly first: Expression;
  /** The operators inside the outermost one, inner ones first. */
  readonly inner: readonly OpNode[];
}

/** Flattens a row such as `a + b - c`. The tree leans left and may have thousands of operators. */
export function operatorsOf(outermost: OpNode): OperatorRow {
  const inner: OpNode[] = [];
  let first = outermost.left;
  while (isOperator(first)) {
    inner.push(first);
    first = first.left;
  }
  return { first, inner: inner.reverse() };
}

function isOperator(node: Expression): node is OpNode {
  return node.kind === 'binary' && '+-*/%'.includes(node.op);
}

export function arithmeticType(op: ArithmeticOp, left: StaticType, right: StaticType): StaticType {
  if (op === '/' || left === 'float' || right === 'float') return 'float';
  if (left === 'timestamp' && right === 'duration' && op !== '*' && op !== '%') return 'timestamp';
  if (left === 'duration' && right === 'timestamp' && op === '+') return 'timestamp';
  if (left === 'timestamp' && right === 'timestamp' && op === '-') return 'duration';
  return 'integer';
}
