/** Builds programs for the addon, step by step. Equal steps are merged; constants are collected. */

import { nativeNames, type StoredExpression, type SeriesColumn } from '../../../storage/storage.js';
import { NotLowered, type Op, type Register, type RegisterType } from '../functions/lowering.js';
import { ExprIds } from '../plan/check/expr-ids.js';

import { columnOf, inOrder, valuesOf, type ColumnAsker } from './series-columns.js';

import type { Value } from '../../values/value.js';
import type { Expr } from '../plan/plan.js';
import type { SeriesInfo } from '../plan/series.js';

interface ColumnSource {
  readonly expr: Expr;
  readonly type: RegisterType;
  /**
   * True if the register holds the rank of the value instead of the value. A text is ranked among
   * all texts here, other values within their column.
   */
  readonly isRank: boolean;
}

/** An expression whose per-series values are not computed yet. */
export interface LoweredExpression {
  readonly program: Omit<StoredExpression, 'columns'>;
  readonly types: readonly RegisterType[];
  /** Parts evaluated once per series. */
  readonly columns: readonly ColumnSource[];
}

/** Powers of ten, computed as in the interpreter. */
const powersOfTen = Array.from({ length: 309 }, (_, digits) => 10 ** digits);

const kStepsMax = 2048;
const kOutputsMax = 64;

export class ExpressionBuilder {
  readonly #steps: number[] = [];
  readonly #known = new Map<string, Register>();
  readonly #integers: bigint[] = [];
  readonly #floats: number[] = [];
  /** The negative zero has its own key because a Map treats both zeros as equal. */
  readonly #placeOf = new Map<bigint | number | '-0', number>();
  #powers: number | null = null;
  readonly #columns: ColumnSource[] = [];
  readonly #ids = new ExprIds();
  readonly #columnOf = new Map<string, number>();
  readonly #outputs: Register[] = [];

  /** Throws NotLowered beyond kStepsMax steps. */
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

  /** The index of a constant among the constants of its type. */
  integerPlace(value: bigint): number {
    return this.#place(value, this.#integers, value);
  }

  floatPlace(value: number): number {
    return this.#place(Object.is(value, -0) ? '-0' : value, this.#floats, value);
  }

  /** The index of the powers of ten, from 10^0 on, that `round` needs for any number of digits. */
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

  /** A value per series. The expression reads only labels, `metric` and `series_id`. */
  column(expr: Expr, type: RegisterType): Register {
    return this.#columnFrom({ expr, type, isRank: false });
  }

  /** The rank of a series' text among all texts. Ranks compare like the texts. */
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

  /** The index of the register among the outputs. Throws NotLowered beyond kOutputsMax outputs. */
  output(register: Register): number {
    const known = this.#outputs.findIndex(({ at }) => at === register.at);
    if (known >= 0) return known;
    if (this.#outputs.length >= kOutputsMax) throw new NotLowered();
    return this.#outputs.push(register) - 1;
  }

  /** Null if there are no outputs. */
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

/** An expression with its columns filled in for a list of series. */
export interface BoundExpression {
  readonly expression: StoredExpression | null;
  /** The texts in ascending order. A rank is an index into them. */
  readonly texts: readonly Value[];
}

/** `all` must be in the order of the query's ids. */
export async function bindExpression(
  lowered: LoweredExpression | null,
  all: readonly SeriesInfo[],
  asker: ColumnAsker,
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
