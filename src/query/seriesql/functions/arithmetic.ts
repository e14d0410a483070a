/**
 * The arithmetic operators. Overflow, division by zero and results that are not a number give null.
 * Two integers give an integer, except that `/` gives a float.
 */

import { checkedFloat, checkedInteger, type Value } from '../../values/value.js';

export type ArithmeticOp = '+' | '-' | '*' | '/' | '%';

export function arithmetic(op: ArithmeticOp, left: Value, right: Value): Value {
  if (left === null || right === null) return null;
  if (typeof left === 'bigint' && typeof right === 'bigint' && op !== '/') {
    return integerArithmetic(op, left, right);
  }
  return floatArithmetic(op, Number(left), Number(right));
}

function integerArithmetic(op: Exclude<ArithmeticOp, '/'>, left: bigint, right: bigint): Value {
  switch (op) {
    case '+':
      return checkedInteger(left + right);
    case '-':
      return checkedInteger(left - right);
    case '*':
      return checkedInteger(left * right);
    case '%':
      return right === 0n ? null : left % right;
  }
}

function floatArithmetic(op: ArithmeticOp, left: number, right: number): Value {
  switch (op) {
    case '+':
      return checkedFloat(left + right);
    case '-':
      return checkedFloat(left - right);
    case '*':
      return checkedFloat(left * right);
    case '/':
      return checkedFloat(left / right);
    case '%':
      return checkedFloat(left % right);
  }
}
