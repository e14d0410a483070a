/** Trees as text with a line for each part of what is long, as Prometheus formats them. */

import type { Aggregation, Binary, Expression, Subquery } from '../syntax/ast.js';
import { aggregateText, operatorText, printPromql, subqueryEnd } from './print.js';

/** Bytes of UTF-8 that stand on one line. */
const kLineMax = 100;

export function prettyPromql(expression: Expression): string {
  return pretty(expression, 0);
}

/** With the blanks before its first line. */
function pretty(expression: Expression, level: number): string {
  const line = printPromql(expression);
  const isLong = line.length > kLineMax || new TextEncoder().encode(line).length > kLineMax;
  if (isLong) return splitUp(expression, level);
  // Prometheus leaves a short subquery where it is.
  return expression.kind === 'subquery' ? line : `${indent(level)}${line}`;
}

function splitUp(expression: Expression, level: number): string {
  switch (expression.kind) {
    case 'parens':
      return inParens(indent(level), [expression.of], level);
    case 'call':
      return inParens(`${indent(level)}${expression.name}`, expression.args, level);
    case 'aggregation':
      return aggregation(expression, level);
    case 'binary':
      return binary(expression, level);
    case 'subquery':
      return subquery(expression, level);
    case 'unary':
      return `${indent(level)}${expression.op}${pretty(expression.of, level).trim()}`;
    default:
      return `${indent(level)}${printPromql(expression)}`;
  }
}

function inParens(before: string, parts: readonly Expression[], level: number): string {
  const lines = parts.map((part) => pretty(part, level + 1)).join(',\n');
  return `${before}(\n${lines}\n${indent(level)})`;
}

function aggregation(expression: Aggregation, level: number): string {
  const { parameter, of } = expression;
  const parts = parameter === null ? [of] : [parameter, of];
  return inParens(`${indent(level)}${aggregateText(expression)}`, parts, level);
}

function binary(expression: Binary, level: number): string {
  const [left, right] = [expression.left, expression.right].map((side) => pretty(side, level + 1));
  return `${left ?? ''}\n${indent(level)}${operatorText(expression)}\n${right ?? ''}`;
}

function subquery(expression: Subquery, level: number): string {
  return `${pretty(expression.of, level)}${subqueryEnd(expression)}`;
}

const indent = (level: number): string => '  '.repeat(level);
