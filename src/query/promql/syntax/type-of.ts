/** The type of an expression's result. */

import type { PromqlExpression, PromqlType } from './ast.js';

export function typeOf(expression: PromqlExpression): PromqlType {
  switch (expression.kind) {
    case 'number':
      return 'scalar';
    case 'string':
      return 'string';
    case 'matrix':
    case 'subquery':
      return 'matrix';
    case 'parens':
    case 'unary':
      return typeOf(expression.of);
    case 'binary':
      return expression.type;
    case 'call':
      return expression.signature.returns;
    case 'selector':
    case 'aggregation':
      return 'vector';
  }
}
