/** Parses the postfixes of an expression: a range, `offset` and `@`. */

import { milliseconds } from '../../../common/model/timestamp-unit.js';

import type { AppError } from '../../../common/errors/app-error.js';
import type { AtModifier, Duration, PromqlExpression, VectorSelector } from './ast.js';
import { DurationParser, offsetContext, rangeContext, stepContext } from './duration-parser.js';
import { isNumber, numberLiteral, signed } from './literals.js';
import { hasModifier, withModifier, type Movable } from './modifiers.js';
import type { TokenReader } from './token-reader.js';
import type { PromqlToken } from './token.js';

const wantsTime = '@, expected timestamp';
const kBehind =
  'must be preceded by an instant vector selector or range vector selector or a subquery';

export class PostfixParser {
  readonly #reader: TokenReader;

  constructor(reader: TokenReader) {
    this.#reader = reader;
  }

  /** Null if no postfix follows `of`. */
  parse(of: PromqlExpression): PromqlExpression | null {
    const { kind } = this.#reader.peek();
    if (kind === '[') return this.#range(of, this.#reader.take());
    if (kind === 'offset') return this.#offset(of);
    return kind === '@' ? this.#at(of) : null;
  }

  #range(of: PromqlExpression, open: PromqlToken): PromqlExpression {
    const range = new DurationParser(this.#reader, rangeContext).positive();
    if (this.#reader.accept(':') !== null) return this.#subquery(of, range);
    this.#reader.expect(']', 'subquery or range, expected ":" or "]"');
    if (of.kind !== 'selector') {
      throw this.#reader.error(open.start, 'ranges only allowed for vector selectors');
    }
    const modifier = modifierBefore(of);
    if (modifier !== null) {
      throw this.#reader.error(open.start, `no ${modifier} modifiers allowed before range`);
    }
    return { kind: 'matrix', place: this.#placeFrom(of), of, range };
  }

  #subquery(of: PromqlExpression, range: Duration): PromqlExpression {
    const hasStep = this.#reader.peek().kind !== ']';
    const step = hasStep ? new DurationParser(this.#reader, stepContext).positive() : null;
    this.#reader.expect(']', 'subquery selector, expected "]"');
    return {
      kind: 'subquery',
      place: this.#placeFrom(of),
      of,
      range,
      step,
      offset: null,
      at: null,
    };
  }

  #offset(of: PromqlExpression): PromqlExpression {
    this.#reader.take();
    const offset = new DurationParser(this.#reader, offsetContext).offset();
    const movable = this.#movable(of, 'offset modifier');
    if (hasModifier(movable, 'offset')) {
      throw this.#error(of, 'offset may not be set multiple times');
    }
    return withModifier(movable, { offset: isZero(offset) ? null : offset }, this.#reader.end);
  }

  #at(of: PromqlExpression): PromqlExpression {
    this.#reader.take();
    const { kind } = this.#reader.peek();
    const at = kind === 'start' || kind === 'end' ? this.#bound(kind) : this.#timestamp(of);
    const movable = this.#movable(of, '@ modifier');
    if (hasModifier(movable, 'at')) {
      throw this.#error(of, '@ <timestamp> may not be set multiple times');
    }
    return withModifier(movable, { at }, this.#reader.end);
  }

  #bound(kind: 'start' | 'end'): AtModifier {
    this.#reader.take();
    this.#reader.expect('(', wantsTime);
    this.#reader.expect(')', wantsTime);
    return kind;
  }

  #timestamp(of: PromqlExpression): AtModifier {
    const { kind } = this.#reader.peek();
    const sign = kind === '+' || kind === '-' ? this.#reader.take() : null;
    if (!isNumber(this.#reader.peek().kind)) throw this.#reader.unexpected(wantsTime);
    const written = numberLiteral(this.#reader, this.#reader.take());
    const { value } = sign === null ? written : signed(sign, written);
    if (Math.abs(value) < 2 ** 63) {
      return { ms: milliseconds(Math.sign(value) * Math.round(Math.abs(value) * 1000)) };
    }
    throw this.#error(of, `timestamp out of bounds for @ modifier: ${fixedSix(value)}`);
  }

  #movable(of: PromqlExpression, modifier: string): Movable {
    if (of.kind === 'selector' || of.kind === 'matrix' || of.kind === 'subquery') return of;
    throw this.#error(of, `${modifier} ${kBehind}`);
  }

  #error({ place }: PromqlExpression, message: string): AppError {
    return this.#reader.error(place.start, message);
  }

  #placeFrom({ place }: PromqlExpression): PromqlExpression['place'] {
    return { start: place.start, end: this.#reader.end };
  }
}

/**
 * The modifier that wrongly precedes a range; null if there is none. As in Prometheus, arithmetic,
 * start() and end() may precede it.
 */
function modifierBefore({ offset, at }: VectorSelector): 'offset' | '@' | null {
  if (offset?.kind === 'number') return 'offset';
  return at !== null && typeof at !== 'string' ? '@' : null;
}

/** True if the offset is zero when rounded to the nanosecond; it then counts as missing. */
const isZero = (offset: Duration): boolean =>
  offset.kind === 'number' && Math.round(offset.value * 1e9) === 0;

/** The form of Go's `%f`. */
function fixedSix(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return `${BigInt(value)}.000000`;
}
