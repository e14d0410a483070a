/**
 * Finds expressions with the same value at every step, because of `@` or because they have no
 * samples.
 */

import type { PromqlBinary, PromqlExpression } from '../syntax/ast.js';

/** Functions whose result depends on the evaluation time. */
const timelyFunctions: ReadonlySet<string> = new Set([
  ...['days_in_month', 'day_of_month', 'day_of_week', 'day_of_year', 'hour', 'minute', 'month'],
  ...['year', 'predict_linear', 'time', 'timestamp'],
]);

export function isInvariant(expression: PromqlExpression): boolean {
  switch (expression.kind) {
    case 'number':
    case 'string':
      return true;
    case 'selector':
    case 'subquery':
      return expression.at !== null;
    case 'matrix':
      return expression.of.at !== null;
    case 'parens':
    case 'unary':
      return isInvariant(expression.of);
    case 'binary':
      return isInvariantChain(expression);
    case 'aggregation':
      return isInvariant(expression.of) && isInvariantParameter(expression.parameter);
    case 'call':
      return !timelyFunctions.has(expression.name) && expression.args.every(isInvariant);
  }
}

/** Starts from the right, where a long chain usually fails at once. */
function isInvariantChain(outermost: PromqlBinary): boolean {
  let rest: PromqlExpression = outermost;
  for (; rest.kind === 'binary'; rest = rest.left) if (!isInvariant(rest.right)) return false;
  return isInvariant(rest);
}

function isInvariantParameter(parameter: PromqlExpression | null): boolean {
  return parameter === null || isInvariant(parameter);
}
