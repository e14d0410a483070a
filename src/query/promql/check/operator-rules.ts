/** Rules for the sides and the modifiers of an operator. */

import type { PromqlBinary, PromqlExpression, VectorMatching } from '../syntax/ast.js';
import { goQuote } from '../syntax/quote.js';
import { parseError } from '../syntax/text-place.js';
import { typeOf } from '../syntax/type-of.js';

const comparisons = new Set<string>(['==', '!=', '<', '<=', '>', '>=']);
const setOperators = new Set<string>(['and', 'or', 'unless']);
const kTypes = 'binary expression must contain only scalar and instant vector types';

/** `matching`: as written; null if it was not written. */
export function checkOperator(
  binary: PromqlBinary,
  matching: VectorMatching | null,
  text: string,
): void {
  const atOperator = operatorProblem(binary, matching);
  if (atOperator !== null) throw parseError(text, operatorStart(binary, text), atOperator);
  for (const side of [binary.left, binary.right]) {
    if (!isNumeric(side)) throw parseError(text, side.place.start, kTypes);
  }
  const problem = sidesProblem(binary, matching);
  if (problem !== null) throw parseError(text, binary.place.start, problem);
}

function operatorProblem(
  { op, left, right, isBool }: PromqlBinary,
  matching: VectorMatching | null,
): string | null {
  if (isBool && !comparisons.has(op)) {
    return 'bool modifier can only be used on comparison operators';
  }
  const areScalars = typeOf(left) === 'scalar' && typeOf(right) === 'scalar';
  if (areScalars && comparisons.has(op) && !isBool) {
    return 'comparisons between scalars must use BOOL modifier';
  }
  if (matching?.isOn !== true) return null;
  const twice = matching.labels.find((label) => matching.include.includes(label));
  if (twice === undefined) return null;
  return `label ${goQuote(twice)} must not occur in ON and GROUP clause at once`;
}

function sidesProblem(binary: PromqlBinary, matching: VectorMatching | null): string | null {
  const { op, left, right } = binary;
  const isSet = setOperators.has(op);
  if (binary.matching === null && (matching?.labels.length ?? 0) > 0) {
    return 'vector matching only allowed between instant vectors';
  }
  if (isSet && binary.matching !== null && binary.matching.cardinality !== 'manyToMany') {
    return `no grouping allowed for "${op}" operation`;
  }
  const hasScalar = typeOf(left) === 'scalar' || typeOf(right) === 'scalar';
  return isSet && hasScalar ? `set operator "${op}" not allowed in binary scalar expression` : null;
}

const isNumeric = (side: PromqlExpression): boolean =>
  typeOf(side) === 'scalar' || typeOf(side) === 'vector';

function operatorStart({ left }: PromqlBinary, text: string): number {
  const behind = text.slice(left.place.end).search(/[^ \t\n\r]/);
  return left.place.end + Math.max(behind, 0);
}
