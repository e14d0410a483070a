/** Rows of operators such as `a + b - c`: trees that lean to the left and may have thousands. */

import type { Expr } from './plan.js';

export type Arithmetic = Extract<Expr, { kind: 'arithmetic' }>;

/** An interpreter asks for the same rows again and again. */
const rows = new WeakMap<Arithmetic, readonly Arithmetic[]>();

/** The operators of a row, inner ones first: a loop over them needs no stack for each. */
export function rowOf(outermost: Arithmetic): readonly Arithmetic[] {
  const known = rows.get(outermost);
  if (known !== undefined) return known;
  const row = [...rowWithin(outermost), outermost];
  rows.set(outermost, row);
  return row;
}

/** Those within the outermost that are not known yet, so that inner ones can be asked first. */
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
