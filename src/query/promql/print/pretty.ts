/** Prints trees with one line per part of a long expression, as Prometheus formats them. */

import type { Aggregation, PromqlBinary, PromqlExpression, Subquery } from '../syntax/ast.js';
import { chainOf } from '../syntax/chain.js';
import { aggregateText, operatorText, printPromql, subqueryEnd } from './print.js';

/** The longest line, in bytes of UTF-8. */
const kLineMax = 100;
const kLevelMax = 256;

export function prettyPromql(expression: PromqlExpression): string {
  return pretty(expression, 0);
}

/** The text, including the indentation of its first line. */
function pretty(expression: PromqlExpression, level: number): string {
  const line = printPromql(expression);
  if (isLong(line)) return splitUp(expression, level);
  // Prometheus does not indent a short subquery.
  return expression.kind === 'subquery' ? line : `${indent(level)}${line}`;
}

const isLong = (line: string): boolean =>
  line.length > kLineMax || new TextEncoder().encode(line).length > kLineMax;

function splitUp(expression: PromqlExpression, level: number): string {
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

function inParens(before: string, parts: readonly PromqlExpression[], level: number): string {
  const lines = parts.map((part) => pretty(part, level + 1)).join(',\n');
  return `${before}(\n${lines}\n${indent(level)})`;
}

function aggregation(expression: Aggregation, level: number): string {
  const { parameter, of } = expression;
  const parts = parameter === null ? [of] : [parameter, of];
  return inParens(`${indent(level)}${aggregateText(expression)}`, parts, level);
}

/** Each operator is indented one level more than the operator that uses its result. */
function binary(expression: PromqlBinary, level: number): string {
  const { first, operators } = chainOf(expression);
  const levelAt = (place: number): number => level + operators.length - 1 - place;
  let place = 0;
  let line = printPromql(first);
  let left = pretty(first, level + operators.length);
  for (; place < operators.length; place += 1) {
    const operator = operators[place];
    if (operator === undefined) break;
    line += ` ${operatorText(operator)} ${printPromql(operator.right)}`;
    if (isLong(line)) break;
    left = `${indent(levelAt(place))}${line}`;
  }
  const parts = operators.slice(place).map((operator, at) => {
    const here = levelAt(place + at);
    return `\n${indent(here)}${operatorText(operator)}\n${pretty(operator.right, here + 1)}`;
  });
  return `${left}${parts.join('')}`;
}

function subquery(expression: Subquery, level: number): string {
  return `${pretty(expression.of, level)}${subqueryEnd(expression)}`;
}

/** Limits the indentation, since a chain may be very deep. */
const indent = (level: number): string => '  '.repeat(Math.min(level, kLevelMax));
