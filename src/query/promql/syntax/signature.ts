/** Functions by name, as the parser needs them. */

import type { Signature } from './ast.js';

/** The functions that an expression may call, by name. */
export type Signatures = ReadonlyMap<string, Signature>;

interface Signed {
  readonly name: string;
  readonly signature: Signature;
}

export function signaturesOf(functions: readonly Signed[]): Signatures {
  return new Map(functions.map(({ name, signature }) => [name, signature]));
}
