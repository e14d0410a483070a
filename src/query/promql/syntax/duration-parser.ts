/** Parses durations after `offset` and in brackets: numbers, durations, and arithmetic of both. */

import type { Duration, DurationArithmetic, NumberLiteral, TextPlace } from './ast.js';
import { isNumber, numberLiteral, signed } from './literals.js';
import type { TokenReader } from './token-reader.js';
import type { PromqlToken } from './token.js';

type DurationOperator = '+' | '-' | '*' | '/' | '%' | '^';

/** The binding power of operators; a sign binds as `*`. */
const binding: Readonly<Record<string, number>> = {
  '+': 1,
  '-': 1,
  '*': 2,
  '/': 2,
  '%': 2,
  '^': 3,
};
const kPower = 3;
/** The most seconds that 64 bits of nanoseconds can hold. */
const kSecondsMax = 2 ** 63 / 1e9;

export const offsetContext = 'offset, expected number or duration';
export const rangeContext = 'subquery selector, expected number or duration';
export const stepContext = `${rangeContext} or "]"`;

/** `context`: the error text if no duration is found. */
export class DurationParser {
  readonly #reader: TokenReader;
  readonly #context: string;

  constructor(reader: TokenReader, context: string) {
    this.#reader = reader;
    this.#context = context;
  }

  /** The duration of a range or a step. */
  positive(): Duration {
    const duration = this.#expression(1);
    if (duration.kind === 'number' && !(duration.value > 0)) {
      throw this.#reader.error(duration.place.start, 'duration must be greater than 0');
    }
    return duration;
  }

  /** A number with at most one sign is complete: later operators are arithmetic of samples. */
  offset(): Duration {
    const { kind } = this.#reader.peek();
    if (isNumber(kind)) return this.#literal();
    if (kind !== '+' && kind !== '-') return this.#expression(1);
    const sign = this.#reader.take();
    if (isNumber(this.#reader.peek().kind)) return signed(sign, this.#literal());
    return this.#behind(this.#signed(sign), 1);
  }

  #expression(atLeast: number): Duration {
    return this.#reader.nested(() => this.#behind(this.#operand(), atLeast));
  }

  /** Parses the operators after `first` that bind at least this tightly. */
  #behind(first: Duration, atLeast: number): Duration {
    let left = first;
    for (let count = 0; ; count += 1) {
      const bound = binding[this.#reader.peek().kind] ?? 0;
      if (bound < atLeast) return left;
      this.#reader.checkDepth(count);
      const operator = this.#reader.take();
      const right = this.#expression(bound === kPower ? kPower : bound + 1);
      this.#refuseZero(operator, right);
      const place = { start: left.place.start, end: right.place.end };
      left = arithmetic(operator.kind as DurationOperator, place, { left, right });
    }
  }

  #refuseZero({ kind, start }: PromqlToken, right: Duration): void {
    if ((kind !== '/' && kind !== '%') || right.kind !== 'number' || right.value !== 0) return;
    throw this.#reader.error(start, `${kind === '/' ? 'division' : 'modulo'} by zero`);
  }

  #operand(): Duration {
    const { kind } = this.#reader.peek();
    if (isNumber(kind)) return this.#literal();
    if (kind === '+' || kind === '-') return this.#signed(this.#reader.take());
    if (kind === '(') return this.#inParens(this.#reader.take());
    throw this.#reader.unexpected(this.#context);
  }

  #signed(sign: PromqlToken): Duration {
    const right = this.#expression(kPower);
    if (right.kind === 'number') return signed(sign, right);
    if (sign.kind === '+') return right;
    return arithmetic('-', { start: sign.start, end: right.place.end }, { left: null, right });
  }

  #inParens(open: PromqlToken): Duration {
    const of = this.#expression(1);
    const { end } = this.#reader.expect(')', this.#context);
    if (of.kind !== 'durationArithmetic') return of;
    return { ...of, isInParens: true, place: { start: open.start, end } };
  }

  #literal(): NumberLiteral {
    const literal = numberLiteral(this.#reader, this.#reader.take());
    if (literal.value <= kSecondsMax) return literal;
    throw this.#reader.error(literal.place.start, 'duration out of range');
  }
}

function arithmetic(
  op: DurationOperator,
  place: TextPlace,
  sides: Pick<DurationArithmetic, 'left' | 'right'>,
): DurationArithmetic {
  return { kind: 'durationArithmetic', op, place, ...sides, isInParens: false };
}
