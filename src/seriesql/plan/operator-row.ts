/** Rows of operators such as `a + b - c`: trees that lean to the left and may have thousands. */

import type { Expr } from './plan.js';

export type Arithmetic = Extract<Expr, { kind: 'arithmetic' }>;

/** The operators of a row, inner ones first: a loop over them needs no stack for each. */
export function rowOf(outermost: Arithmetic): readonly Arithmetic[] {
  const row = [outermost];
  let { left } = outermost;
  while (left.kind === 'arithmetic') {
    row.push(left);
    left = left.left;
  }
  return row.reverse();
}

/** Those within the outermost that are not known yet, so that inner ones can be asked first. */
export function rowWithin(
  outermost: Expr,
  isKnown: (part: Expr) => boolean,
): readonly Arithmetic[] {
  const row: Arithmetic[] = [];
  let part = outermost;
  while (part.kind === 'arithmetic' && part.left.kind === 'arithmetic' && !isKnown(part.left)) {
    part = part.left;
    row.push(part);
  }
  return row.reverse();
}
