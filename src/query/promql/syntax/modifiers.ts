/** Access to `offset` and `@`. For a range, its selector holds them. */

import type { MatrixSelector, Subquery, VectorSelector } from './ast.js';

export type Movable = VectorSelector | MatrixSelector | Subquery;
type ModifierChange = Partial<Pick<VectorSelector, 'offset' | 'at'>>;

export function hasModifier(of: Movable, which: 'offset' | 'at'): boolean {
  return (of.kind === 'matrix' ? of.of : of)[which] !== null;
}

/** `end` is the end of the modifier. */
export function withModifier(of: Movable, change: ModifierChange, end: number): Movable {
  const place = { start: of.place.start, end };
  return of.kind === 'matrix'
    ? { ...of, of: { ...of.of, ...change }, place }
    : { ...of, ...change, place };
}
