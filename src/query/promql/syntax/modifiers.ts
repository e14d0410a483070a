/** Where `offset` and `@` are kept: of a range, with its selector. */

import type { MatrixSelector, Subquery, VectorSelector } from './ast.js';

export type Movable = VectorSelector | MatrixSelector | Subquery;
type Change = Partial<Pick<VectorSelector, 'offset' | 'at'>>;

export function hasModifier(of: Movable, which: 'offset' | 'at'): boolean {
  return (of.kind === 'matrix' ? of.of : of)[which] !== null;
}

/** `end` is where the modifier ends. */
export function withModifier(of: Movable, change: Change, end: number): Movable {
  const place = { start: of.place.start, end };
  return of.kind === 'matrix'
    ? { ...of, of: { ...of.of, ...change }, place }
    : { ...of, ...change, place };
}
