/**
 * Rows of operators such as `a + b - c`. Their trees lean left and may have thousands of operators.
 */

import type { Expr } from './plan.js';

export type Arithmetic = Extract<Expr, { kind: 'arithmetic' }>;

/** A cache: the interpreter asks for the same rows repeatedly. */
const rows = new WeakMap<Arithmetic, readonly Arithmetic[]>();

/** The operators of a row, inner ones first. A loop over them needs no recursion. */
export function rowOf(outermost: Arithmetic): readonly Arithmetic[] {
  const known = rows.get(outermost);
  if (known !== undefined) return known;
  const row = [...rowWithin(outermost), outermost];
  rows.set(outermost, row);
  return row;
}

/** The inner operators, up to the first known one, so that they can be computed first. */
export function rowWithin(
  outermost: Expr,
  isKnown: (part: Expr) => boolean = () => false,
): readonly Arithmetic[] {
  const row: Arithmetic[] = [];
  let part = outermost;
  while (part.kind === 'arithmetic' && part.left.kind === 'arithmetic' && !isKnown(part.left)) {
    part = part.left;
    row.push(part);
  }
  return row.reverse();
}
