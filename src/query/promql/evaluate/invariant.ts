/** Which expressions are worth the same at every step, as far as `@` makes them so. */

import type { Binary, Expression } from '../syntax/ast.js';

/** What they say depends on the time that they are asked at. */
const timelyFunctions: ReadonlySet<string> = new Set([
  ...['days_in_month', 'day_of_month', 'day_of_week', 'day_of_year', 'hour', 'minute', 'month'],
  ...['year', 'predict_linear', 'time', 'timestamp'],
]);

export function isInvariant(expression: Expression): boolean {
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

/** From the right, where a long chain mostly says no at once. */
function isInvariantChain(outermost: Binary): boolean {
  let rest: Expression = outermost;
  for (; rest.kind === 'binary'; rest = rest.left) if (!isInvariant(rest.right)) return false;
  return isInvariant(rest);
}

function isInvariantParameter(parameter: Expression | null): boolean {
  return parameter === null || isInvariant(parameter);
}
