/**
 * What an aggregate is: the rows of a group in, one value out. There is one file for each below
 * `aggregate/`, and `aggregate-functions.ts` is made from their names; what is forgotten does not
 * compile.
 */

import type { NativeName } from '../../../storage/storage.js';
import type { TextAccount } from '../../limits/text-account.js';
import type { StaticType, Value } from '../../values/value.js';
import type { Documentation } from './documentation.js';

/** What of a row counts besides the argument. */
export interface AggregatedRow {
  readonly time: bigint;
  readonly series: { readonly id: bigint; readonly kind: 'gauge' | 'counter' };
}

/** One group: rows in, one value out. */
export interface Accumulator {
  /** `value` is the argument for this row, never null. Rows of one series come in time order. */
  add(value: Exclude<Value, null>, row: AggregatedRow): void;
  result(): Value;
}

/** What of a call an accumulator may depend on. */
interface Accumulation {
  /** Null is `count(*)`. */
  readonly argumentType: StaticType | null;
  /** The q of `percentile`, in 0…1; 0 elsewhere. */
  readonly quantile: number;
  readonly unitsPerSecond: number;
  /** Pays for texts that it holds. */
  readonly texts: TextAccount;
}

/** How the addon computes it. */
export interface AggregateLowering {
  readonly name: NativeName<'aggregates'>;
  /** `given`: the one of the call. 0 where it is left out. */
  readonly quantile?: number | 'given';
  /**
   * `asIs`: exact for integers too, or of any type; `float`: as floats; `presence`: only whether
   * there is a value counts, which every column has.
   */
  readonly operand: 'asIs' | 'float' | 'presence';
}

/** What is computed, with DISTINCT or without. */
export interface Computation {
  /** Makes an empty accumulator. */
  readonly accumulator: (of: Accumulation) => Accumulator;
  /** Whether every value is kept until the end. */
  readonly holdsValues?: true;
  /** Null: only the interpreter computes it. */
  readonly lower: AggregateLowering | null;
}

export interface AggregateFunction<Name extends string = string> extends Computation {
  readonly name: Name;
  readonly documentation: Documentation;
  readonly argument: 'number' | 'any';
  /** A second argument, fixed when the query is read. */
  readonly second?: 'quantile';
  /** `sum`: integers give an integer, else a float; `first`: the type of the argument. */
  readonly result: 'integer' | 'float' | 'timestamp' | 'sum' | 'first';
  /** Also over no rows. */
  readonly isNeverNull?: true;
  /** `f(*)` takes every row. */
  readonly takesStar?: true;
  /** What `f(distinct x)` computes; missing: there is none. */
  readonly distinct?: Computation;
  /** Computed for each series, then summed over those of a group. */
  readonly isPerSeries?: true;
  /** Meant for counters: of a gauge it counts a reset as a decrease. */
  readonly isOfCounters?: true;
  /** From the first sample of a group to its last: what changes between two buckets is in none. */
  readonly isGrowth?: true;
  /** It is found at an end of time, so that a query of such alone needs no bound on time. */
  readonly isAtAnEnd?: true;
}

export function defineAggregate<const Name extends string>(
  parts: AggregateFunction<Name>,
): AggregateFunction<Name> {
  return parts;
}
