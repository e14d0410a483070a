/**
 * Lowers expressions over a sample to programs for the addon, with the interpreter's meaning. A
 * part that reads no sample is evaluated once per series, even if it works on text. A text chosen
 * per sample is represented by its rank among all texts of the expression.
 *
 * The interpreter keeps functions over such a text, texts made from numbers, and time zones.
 */

import { unitsPerSecond } from '../../../common/model/timestamp-unit.js';
import { nativeNames } from '../../../storage/storage.js';
import {
  heldType,
  NotLowered,
  type LoweredArgument,
  type Lowering,
  type Op,
  type Register,
  type RegisterType,
} from '../functions/lowering.js';
import { scalarFunctions } from '../functions/scalar-functions.js';
import { partsOf } from '../plan/check/expr.js';
import { rowWithin } from '../plan/operator-row.js';
import { isOfSample } from '../plan/where.js';

import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { ScalarFunction } from '../functions/scalar-function.js';
import type { ComparisonOp, Expr } from '../plan/plan.js';
import type { ExpressionBuilder } from './expression-builder.js';

const mirrored = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;
const arithmeticOps = { '+': 'add', '-': 'subtract', '*': 'multiply', '%': 'modulo' } as const;
/** The largest number of months in one bucket that the addon accepts. */
export const kMonthsMax = 1_000_000;

/** True if the expression is always null. */
function isNull(expr: Expr): boolean {
  return expr.type === 'null' || (expr.kind === 'literal' && expr.value === null);
}

export class ExpressionLowering implements Lowering {
  readonly builder: ExpressionBuilder;
  readonly #unit: TimestampUnit;
  /** Memoized per expression: one may occur in many places, and every depth asks again. */
  readonly #lowered = new Map<Expr, Register>();
  readonly #ofSamples = new Map<Expr, boolean>();

  constructor(builder: ExpressionBuilder, unit: TimestampUnit) {
    this.builder = builder;
    this.#unit = unit;
  }

  /** Throws NotLowered. `wanted` is the register type if the expression is always null. */
  lower(expr: Expr, wanted: RegisterType = 'float'): Register {
    if (isNull(expr)) return this.null(heldType(expr.type) ?? wanted);
    if (expr.kind === 'literal') return this.#literal(expr);
    const known = this.#lowered.get(expr);
    if (known !== undefined) return known;
    if (this.#readsSamples(expr)) this.#lowerRow(expr);
    const made = this.#readsSamples(expr) ? this.#make(expr) : this.#perSeries(expr);
    this.#lowered.set(expr, made);
    return made;
  }

  /** Lowers the remaining operators of a row, inner ones first, as far as they read samples. */
  #lowerRow(expr: Expr): void {
    const isDone = (part: Expr): boolean => this.#lowered.has(part) || !this.#readsSamples(part);
    for (const inner of rowWithin(expr, isDone)) this.lower(inner);
  }

  #readsSamples(expr: Expr): boolean {
    const known = this.#ofSamples.get(expr);
    if (known !== undefined) return known;
    const isKnown = (part: Expr): boolean => this.#ofSamples.has(part);
    for (const inner of rowWithin(expr, isKnown)) this.#readsSamples(inner);
    const reads = isOfSample(expr) || partsOf(expr).some((part) => this.#readsSamples(part));
    this.#ofSamples.set(expr, reads);
    return reads;
  }

  #make(expr: Expr): Register {
    switch (expr.kind) {
      case 'column':
        return expr.column === 'time'
          ? this.builder.step('time', 'integer')
          : this.builder.step('value', 'float');
      case 'negate': {
        const operand = this.lower(expr.operand);
        return this.builder.step('negate', operand.type, [operand.at]);
      }
      case 'arithmetic':
        return this.#arithmetic(expr);
      case 'compare':
        return this.#compare(expr);
      case 'logical':
        return expr.items
          .map((item) => this.lower(item, 'boolean'))
          .reduce((left, right) => this.#two(expr.op, left, right));
      case 'not':
        return this.#not(this.lower(expr.operand, 'boolean'));
      case 'isNull': {
        const operand = this.lower(expr.operand);
        const test = this.builder.step('isNull', 'boolean', [operand.at]);
        return expr.negated ? this.#not(test) : test;
      }
      case 'in':
        return this.#in(expr);
      default:
        return this.#other(expr);
    }
  }

  null(type: RegisterType): Register {
    switch (type) {
      case 'integer':
        return this.builder.step('null', type);
      case 'float':
        return this.builder.step('float', type, [this.builder.floatPlace(Number.NaN)]);
      case 'boolean':
        return this.builder.step('boolean', type, [1]);
    }
  }

  constant(value: bigint | number): Register {
    const type = typeof value === 'bigint' ? 'integer' : 'float';
    return this.#literal({ kind: 'literal', value, type, nullable: false });
  }

  step(op: Op, type: RegisterType, operands: readonly number[] = []): Register {
    return this.builder.step(op, type, operands);
  }

  floatPlace(value: number): number {
    return this.builder.floatPlace(value);
  }

  powersPlace(): number {
    return this.builder.powersPlace();
  }

  isEqual(left: Register, right: Register): Register {
    return this.#compared('=', left, right);
  }

  select(when: Register, then: Register, otherwise: Register): Register {
    if (then.type !== otherwise.type) throw new NotLowered();
    return this.builder.step('select', then.type, [when.at, then.at, otherwise.at]);
  }

  toFloat(register: Register): Register {
    if (register.type === 'float') return register;
    return this.builder.step('toFloat', 'float', [register.at]);
  }

  #other(expr: Expr): Register {
    switch (expr.kind) {
      case 'call':
        return this.#call(expr);
      case 'bucket':
        return this.#bucket(expr);
      case 'case': {
        const type = heldType(expr.type);
        if (type === null) throw new NotLowered();
        let result = this.lower(expr.otherwise, type);
        for (const { when, then } of expr.branches.toReversed()) {
          const chosen = this.lower(then, type);
          result = this.select(this.lower(when, 'boolean'), chosen, result);
        }
        return result;
      }
      case 'cast':
        return this.#cast(expr);
      default:
        throw new NotLowered();
    }
  }

  #literal(expr: Extract<Expr, { kind: 'literal' }>): Register {
    const { value } = expr;
    switch (typeof value) {
      case 'bigint':
        return this.builder.step('integer', 'integer', [this.builder.integerPlace(value)]);
      case 'number':
        return this.builder.step('float', 'float', [this.builder.floatPlace(value)]);
      case 'boolean':
        return this.builder.step('boolean', 'boolean', [value ? 2 : 0]);
      case 'string':
        return this.builder.rank(expr);
      default:
        throw new NotLowered();
    }
  }

  #perSeries(expr: Expr): Register {
    const type = heldType(expr.type);
    if (type === null) throw new NotLowered();
    return expr.type === 'string' ? this.builder.rank(expr) : this.builder.column(expr, type);
  }

  #two(op: Op, left: Register, right: Register): Register {
    return this.builder.step(op, left.type, [left.at, right.at]);
  }

  #not(register: Register): Register {
    return this.builder.step('not', 'boolean', [register.at]);
  }

  #arithmetic({ op, left, right, type }: Extract<Expr, { kind: 'arithmetic' }>): Register {
    if (isNull(left) || isNull(right)) {
      return this.null(heldType(type) ?? 'float');
    }
    const [a, b] = [this.lower(left), this.lower(right)];
    if (op === '/') return this.#two('divide', this.toFloat(a), this.toFloat(b));
    if (a.type === 'integer' && b.type === 'integer') return this.#two(arithmeticOps[op], a, b);
    return this.#two(arithmeticOps[op], this.toFloat(a), this.toFloat(b));
  }

  #compare({ op, left, right }: Extract<Expr, { kind: 'compare' }>): Register {
    if (isNull(left) || isNull(right)) return this.null('boolean');
    return this.#compared(op, this.#beside(left, right), this.#beside(right, left));
  }

  /** Beside floats, an integer that a double holds exactly becomes a float: it compares faster. */
  #beside(expr: Expr, other: Expr): Register {
    const isLiteral = expr.kind === 'literal' && typeof expr.value === 'bigint';
    if (!isLiteral || other.type !== 'float') return this.lower(expr);
    const value = Number(expr.value);
    if (!Number.isSafeInteger(value)) return this.lower(expr);
    return this.builder.step('float', 'float', [this.builder.floatPlace(value)]);
  }

  #compared(op: ComparisonOp, a: Register, b: Register): Register {
    if (a.type === 'float' && b.type === 'integer') return this.#compared(mirrored[op], b, a);
    return this.builder.step('compare', 'boolean', [
      a.at,
      b.at,
      nativeNames.comparisons.indexOf(op),
    ]);
  }

  /** Lowers IN to a row of equalities. A null among them makes the result unknown. */
  #in({ operand, items, negated }: Extract<Expr, { kind: 'in' }>): Register {
    const tests = items.map((item) => {
      if (isNull(operand) || isNull(item)) return this.null('boolean');
      return this.#compared('=', this.lower(operand), this.#beside(item, operand));
    });
    const any = tests.reduce((left, right) => this.#two('or', left, right));
    return negated ? this.#not(any) : any;
  }

  #call({ name, args, type }: Extract<Expr, { kind: 'call' }>): Register {
    const { lower }: ScalarFunction = scalarFunctions[name];
    const [first, ...others] = args.map((arg) => this.#argument(arg));
    if (lower === null || first === undefined) throw new NotLowered();
    return lower({ args: [first, ...others], type }, this);
  }

  #argument(expr: Expr): LoweredArgument {
    return {
      isNull: isNull(expr),
      literal: expr.kind === 'literal' ? expr.value : undefined,
      register: (wanted) => this.lower(expr, wanted),
    };
  }

  #bucket({ bucket, operand }: Extract<Expr, { kind: 'bucket' }>): Register {
    if (isNull(operand)) return this.null('integer');
    const time = this.lower(operand);
    if (bucket.kind === 'fixed') {
      const places = [
        this.builder.integerPlace(bucket.width),
        this.builder.integerPlace(bucket.origin),
      ];
      return this.builder.step('bucket', 'integer', [time.at, ...places]);
    }
    const isUtc = bucket.kind === 'months' && bucket.zone === null;
    if (!isUtc || bucket.count > kMonthsMax) throw new NotLowered();
    const perSecond = unitsPerSecond(this.#unit);
    const places = [
      this.builder.integerPlace(BigInt(bucket.count)),
      this.builder.integerPlace(perSecond),
    ];
    return this.builder.step('months', 'integer', [time.at, ...places]);
  }

  #cast({ operand, target }: Extract<Expr, { kind: 'cast' }>): Register {
    if (target === 'string' || operand.type === 'string') throw new NotLowered();
    if (isNull(operand)) return this.null(target);
    const value = this.lower(operand);
    if (value.type === target) return value;
    return this.builder.step(target === 'float' ? 'toFloat' : 'toInteger', target, [value.at]);
  }
}
