/** Finds the cases that need native histograms, which are not stored. */
import { parsePromql } from '../../../src/query/promql/parse.js';
import { isMeant } from '../naive-source.js';

import type { PromqlExpression } from '../../../src/query/promql/syntax/ast.js';
import type { Labels } from './notation.js';
import type { EvalStep } from './script.js';

const nativeFunctions = /^histogram_(?:count|sum|avg|stddev|stdvar)$/;

/**
 * True if a case reads one of these series, calls a function of native histograms, or expects one.
 */
export function needsNative(step: EvalStep, natives: readonly Labels[]): boolean {
  if (step.expected.some((line) => line.includes('{{'))) return true;
  if (natives.length === 0 && !step.expression.includes('histogram_')) return false;
  let isNative = false;
  walk(treeOf(step.expression), (expression) => {
    if (expression.kind === 'call' && nativeFunctions.test(expression.name)) isNative = true;
    if (expression.kind !== 'selector') return;
    if (natives.some((labels) => isMeant(labels, expression.matchers))) isNative = true;
  });
  return isNative;
}

function treeOf(text: string): PromqlExpression | null {
  try {
    return parsePromql(text);
  } catch {
    return null;
  }
}

function walk(
  expression: PromqlExpression | null,
  visit: (expression: PromqlExpression) => void,
): void {
  if (expression === null) return;
  visit(expression);
  switch (expression.kind) {
    case 'matrix':
    case 'subquery':
    case 'parens':
    case 'unary':
      walk(expression.of, visit);
      break;
    case 'binary':
      walk(expression.left, visit);
      walk(expression.right, visit);
      break;
    case 'call':
      for (const argument of expression.args) walk(argument, visit);
      break;
    case 'aggregation':
      walk(expression.of, visit);
      walk(expression.parameter, visit);
      break;
    default:
  }
}
