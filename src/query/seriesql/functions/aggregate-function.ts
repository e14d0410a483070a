/**
 * An aggregate function: takes the rows of a group, returns one value. Each has a file below
 * `aggregate/`, and `aggregate-functions.ts` is generated from the file names. A missing part does
 * not compile.
 */

import type { NativeName } from '../../../storage/storage.js';
import type { TextAccount } from '../../limits/text-account.js';
import type { StaticType, Value } from '../../values/value.js';
import type { Documentation } from './documentation.js';

/** The parts of a row that an aggregate may use besides its argument. */
export interface AggregatedRow {
  readonly time: bigint;
  readonly series: { readonly id: bigint; readonly kind: 'gauge' | 'counter' };
}

/** The state of one group: takes rows, returns one value. */
export interface Accumulator {
  /** `value` is the argument for this row, never null. Rows of one series come in time order. */
  add(value: Exclude<Value, null>, row: AggregatedRow): void;
  result(): Value;
}

/** The parts of a call that an accumulator may depend on. */
interface Accumulation {
  /** Null for `count(*)`. */
  readonly argumentType: StaticType | null;
  /** The q of `percentile`, in 0…1; 0 for other aggregates. */
  readonly quantile: number;
  readonly unitsPerSecond: number;
  /** Charges the texts that the accumulator holds. */
  readonly texts: TextAccount;
}

/** The addon's aggregate for this function. */
export interface AggregateLowering {
  readonly name: NativeName<'aggregates'>;
  /** `given`: the quantile of the call. Missing means 0. */
  readonly quantile?: number | 'given';
  /**
   * `asIs`: the argument unchanged, so integers stay exact; any type. `float`: as a float.
   * `presence`: only whether there is a value, which works for every column.
   */
  readonly operand: 'asIs' | 'float' | 'presence';
}

/** A computation, with or without DISTINCT. */
export interface Computation {
  /** Makes an empty accumulator. */
  readonly accumulator: (of: Accumulation) => Accumulator;
  /** True if it holds every value until the end. */
  readonly holdsValues?: true;
  /** Null: only the interpreter computes it. */
  readonly lower: AggregateLowering | null;
}

export interface AggregateFunction<Name extends string = string> extends Computation {
  readonly name: Name;
  readonly documentation: Documentation;
  readonly argument: 'number' | 'any';
  /** A second argument, constant for the query. */
  readonly second?: 'quantile';
  /** `sum`: an integer for integers, otherwise a float; `first`: the type of the argument. */
  readonly result: 'integer' | 'float' | 'timestamp' | 'sum' | 'first';
  /** The result is never null, even over no rows. */
  readonly isNeverNull?: true;
  /** `f(*)` is allowed, and takes every row. */
  readonly takesStar?: true;
  /** The computation of `f(distinct x)`; missing if DISTINCT is not allowed. */
  readonly distinct?: Computation;
  /** Computed per series, then summed over the series of a group. */
  readonly isPerSeries?: true;
  /** Meant for counters: on a gauge, a reset counts as a decrease. */
  readonly isOfCounters?: true;
  /**
   * The growth from a group's first sample to its last. Changes between two buckets count in
   * neither.
   */
  readonly isGrowth?: true;
  /**
   * The result lies at the first or last time. A query of only such aggregates needs no time bound.
   */
  readonly isAtAnEnd?: true;
}

export function defineAggregate<const Name extends string>(
  parts: AggregateFunction<Name>,
): AggregateFunction<Name> {
  return parts;
}
