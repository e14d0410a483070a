/** Programs for the addon, step by step: equal steps are one, constants are collected. */

import { nativeNames, type Expression, type SeriesColumn } from '../../../storage/storage.js';
import { NotLowered, type Op, type Register, type RegisterType } from '../functions/lowering.js';
import { ExprIds } from '../plan/check/expr-ids.js';

import { columnOf, inOrder, valuesOf, type Asker } from './series-columns.js';

import type { Value } from '../../values/value.js';
import type { Expr } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';

interface ColumnSource {
  readonly expr: Expr;
  readonly type: RegisterType;
  /** In place of a value its rank: of a text among all texts here, else among the column's own. */
  readonly isRank: boolean;
}

/** An expression of which the values that series have by themselves are still to be found. */
export interface LoweredExpression {
  readonly program: Omit<Expression, 'columns'>;
  readonly types: readonly RegisterType[];
  /** What is evaluated once a series. */
  readonly columns: readonly ColumnSource[];
}

/** As the interpreter computes them. */
const powersOfTen = Array.from({ length: 309 }, (_, digits) => 10 ** digits);

const kStepsMax = 2048;
const kOutputsMax = 64;

export class ExpressionBuilder {
  readonly #steps: number[] = [];
  readonly #known = new Map<string, Register>();
  readonly #integers: bigint[] = [];
  readonly #floats: number[] = [];
  /** A map takes both zeros for one key, so that the negative one has a word. */
  readonly #placeOf = new Map<bigint | number | '-0', number>();
  #powers: number | null = null;
  readonly #columns: ColumnSource[] = [];
  readonly #ids = new ExprIds();
  readonly #columnOf = new Map<string, number>();
  readonly #outputs: Register[] = [];

  /** Throws NotLowered when there are too many. */
  step(op: Op, type: RegisterType, operands: readonly number[] = []): Register {
    const key = `${op} ${operands.join(' ')}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const at = this.#steps.length / 4;
    if (at >= kStepsMax) throw new NotLowered();
    const [a = 0, b = 0, c = 0] = operands;
    this.#steps.push(nativeNames.ops.indexOf(op), a, b, c);
    const made = { at, type };
    this.#known.set(key, made);
    return made;
  }

  /** The place of a constant. */
  integerPlace(value: bigint): number {
    return this.#place(value, this.#integers, value);
  }

  floatPlace(value: number): number {
    return this.#place(Object.is(value, -0) ? '-0' : value, this.#floats, value);
  }

  /** The place of the powers of ten that round to any number of digits. */
  powersPlace(): number {
    this.#powers ??= this.#floats.push(...powersOfTen) - powersOfTen.length;
    return this.#powers;
  }

  #place<T>(key: bigint | number | '-0', list: T[], value: T): number {
    const known = this.#placeOf.get(key);
    if (known !== undefined) return known;
    this.#placeOf.set(key, list.length);
    return list.push(value) - 1;
  }

  /** What reads labels, `metric` and `series_id` alone: one value a series. */
  column(expr: Expr, type: RegisterType): Register {
    return this.#columnFrom({ expr, type, isRank: false });
  }

  /** Texts of series are as good as their places in an order of all of them. */
  rank(expr: Expr): Register {
    return this.#columnFrom({ expr, type: 'integer', isRank: true });
  }

  #columnFrom(source: ColumnSource): Register {
    const text = `${source.isRank ? 'rank of ' : ''}${this.#ids.of(source.expr)}`;
    let place = this.#columnOf.get(text);
    if (place === undefined) {
      place = this.#columns.push(source) - 1;
      this.#columnOf.set(text, place);
    }
    return this.step('column', source.type, [place]);
  }

  /** The place of the register among the outputs. */
  output(register: Register): number {
    const known = this.#outputs.findIndex(({ at }) => at === register.at);
    if (known >= 0) return known;
    if (this.#outputs.length >= kOutputsMax) throw new NotLowered();
    return this.#outputs.push(register) - 1;
  }

  /** Null without outputs. */
  build(): LoweredExpression | null {
    if (this.#outputs.length === 0) return null;
    return {
      program: {
        steps: Uint32Array.from(this.#steps),
        integers: BigInt64Array.from(this.#integers),
        floats: Float64Array.from(this.#floats),
        outputs: Uint32Array.from(this.#outputs.map(({ at }) => at)),
      },
      types: this.#outputs.map(({ type }) => type),
      columns: this.#columns,
    };
  }
}

/** An expression with the columns of some series. */
export interface BoundExpression {
  readonly expression: Expression | null;
  /** The texts in their order, by which they are told. */
  readonly texts: readonly Value[];
}

/** The series are given in the order of the query's ids. */
export async function bindExpression(
  lowered: LoweredExpression | null,
  all: readonly SeriesInfo[],
  asker: Asker,
): Promise<BoundExpression> {
  if (lowered === null) return { expression: null, texts: [] };
  const { guard } = asker;
  const textsOf = new Map<ColumnSource, readonly Value[]>();
  for (const source of lowered.columns.filter(isText)) {
    textsOf.set(source, await valuesOf(source.expr, all, asker));
  }
  const texts = await inOrder(textsOf.values(), guard);
  const columns: SeriesColumn[] = [];
  for (const source of lowered.columns) {
    const values = textsOf.get(source) ?? (await valuesOf(source.expr, all, asker));
    const own = source.isRank && !isText(source) ? await inOrder([values], guard) : null;
    const distinct = isText(source) ? texts : own;
    columns.push(await columnOf(source.type, values, { distinct, guard }));
  }
  return { expression: { ...lowered.program, columns }, texts };
}

function isText({ expr, isRank }: ColumnSource): boolean {
  return isRank && expr.type === 'string';
}
