/** Numeric literals. */

import type { NumberLiteral } from './ast.js';
import { numberOf, secondsOf } from './number-text.js';
import type { TokenReader } from './token-reader.js';
import type { PromqlToken, PromqlTokenKind } from './token.js';

export const isNumber = (kind: PromqlTokenKind): boolean =>
  kind === 'number' || kind === 'duration';

export function numberLiteral(reader: TokenReader, token: PromqlToken): NumberLiteral {
  const written = reader.written(token);
  const isDuration = token.kind === 'duration';
  const value = isDuration ? secondsOf(written) : numberOf(written);
  if (typeof value === 'string') throw reader.error(token.start, value);
  return { kind: 'number', place: { start: token.start, end: token.end }, value, isDuration };
}

/** A literal combined with the sign before it. */
export function signed(sign: PromqlToken, literal: NumberLiteral): NumberLiteral {
  const place = { start: sign.start, end: literal.place.end };
  return { ...literal, place, value: sign.kind === '-' ? -literal.value : literal.value };
}
