/** Arguments of calls, whose number and types the checker has seen to. */

import { AppError } from '../../../common/errors/app-error.js';

import type { AskedCall } from '../vectors/context.js';
import type { VectorValue } from '../vectors/value.js';
import type { PromqlExpression } from '../syntax/ast.js';

export function argumentAt({ call }: AskedCall, place: number): PromqlExpression {
  const argument = call.args[place];
  if (argument === undefined) {
    throw new AppError('execution_error', `${call.name} has no argument ${place + 1}`);
  }
  return argument;
}

export function vectorAt(asked: AskedCall, place: number): Promise<VectorValue> {
  return asked.evaluate.vector(argumentAt(asked, place), asked.frame);
}

/** One value for each step; `otherwise` for one that is left out. */
export async function scalarAt(
  asked: AskedCall,
  place: number,
  otherwise?: number,
): Promise<Float64Array> {
  if (otherwise !== undefined && asked.call.args.length <= place) {
    return new Float64Array(asked.frame.count).fill(otherwise);
  }
  return asked.evaluate.scalar(argumentAt(asked, place), asked.frame);
}

/** Nothing but a literal is a string. */
export function textAt(asked: AskedCall, place: number): string {
  const argument = unwrapped(argumentAt(asked, place));
  if (argument.kind === 'string') return argument.value;
  throw new AppError('execution_error', `${asked.call.name} wants a string here`);
}

/** What stands between parentheses, however many. */
export function unwrapped(expression: PromqlExpression): PromqlExpression {
  return expression.kind === 'parens' ? unwrapped(expression.of) : expression;
}
