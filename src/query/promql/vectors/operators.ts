/** Operators on two numbers. */

import type { PromqlArithmeticOp, PromqlBinary, PromqlComparisonOp, SetOp } from '../syntax/ast.js';

export type ValueOp = PromqlArithmeticOp | PromqlComparisonOp;

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);

export function isComparison(op: PromqlBinary['op']): op is PromqlComparisonOp {
  return comparisons.has(op);
}

export function isSetOp(op: PromqlBinary['op']): op is SetOp {
  return op === 'and' || op === 'or' || op === 'unless';
}

export function compute(op: PromqlArithmeticOp, left: number, right: number): number {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    case '^':
      return power(left, right);
    case 'atan2':
      return Math.atan2(left, right);
  }
}

/** Follows IEEE 754: 1 to any power is 1, and so is -1 to an infinite power. */
function power(base: number, exponent: number): number {
  if (base === 1) return 1;
  if (base === -1 && (exponent === Infinity || exponent === -Infinity)) return 1;
  return base ** exponent;
}

export function compare(op: PromqlComparisonOp, left: number, right: number): boolean {
  switch (op) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}
