/** Aggregates, one object a group: rows in, one value out. */

import { nanosecondsPerUnit } from '../language/time-literal.js';
import { checkedFloat, checkedInteger, compareValues, type Value } from '../value.js';

import { CompensatedSum } from './compensated-sum.js';
import { Differences, type Accumulator } from './differences.js';

import type { TimestampUnit } from '../../model/timestamp-unit.js';
import type { Row } from '../evaluate.js';
import type { Aggregate } from '../plan/plan.js';

/** Makes an empty accumulator. */
export function accumulatorOf(aggregate: Aggregate, unit: TimestampUnit): Accumulator {
  const { name, quantile } = aggregate;
  switch (name) {
    case 'count':
      return aggregate.isDistinct ? new CountDistinct() : new Count();
    case 'sum':
      return aggregate.argument?.type === 'float' ? new FloatSum() : new IntegerSum();
    case 'avg':
      return new Average();
    case 'min':
    case 'min_time':
      return new Extreme(-1, name === 'min_time');
    case 'max':
    case 'max_time':
      return new Extreme(1, name === 'max_time');
    case 'stddev':
    case 'variance':
      return new Variance(name === 'stddev');
    case 'median':
      return new Percentile(0.5);
    case 'percentile':
      return new Percentile(quantile);
    case 'first':
      return new Edge(-1);
    case 'last':
      return new Edge(1);
    default:
      return new Differences(name, 1_000_000_000 / Number(nanosecondsPerUnit[unit]));
  }
}

class Count implements Accumulator {
  #count = 0n;
  add(): void {
    this.#count += 1n;
  }
  result(): Value {
    return this.#count;
  }
}

class CountDistinct implements Accumulator {
  readonly #seen = new Set<Value>();
  add(value: Exclude<Value, null>): void {
    // -0 and 0 are one value.
    this.#seen.add(value === 0 ? 0 : value);
  }
  result(): Value {
    return BigInt(this.#seen.size);
  }
}

class IntegerSum implements Accumulator {
  #sum: bigint | null = null;
  add(value: Exclude<Value, null>): void {
    if (typeof value === 'bigint') this.#sum = (this.#sum ?? 0n) + value;
  }
  result(): Value {
    return this.#sum === null ? null : checkedInteger(this.#sum);
  }
}

class FloatSum implements Accumulator {
  readonly #sum = new CompensatedSum();
  #isEmpty = true;
  add(value: Exclude<Value, null>): void {
    this.#sum.add(Number(value));
    this.#isEmpty = false;
  }
  result(): Value {
    return this.#isEmpty ? null : checkedFloat(this.#sum.total());
  }
}

class Average implements Accumulator {
  readonly #sum = new CompensatedSum();
  #count = 0;
  add(value: Exclude<Value, null>): void {
    this.#sum.add(Number(value));
    this.#count += 1;
  }
  result(): Value {
    return this.#count === 0 ? null : checkedFloat(this.#sum.total() / this.#count);
  }
}

/**
 * The largest value, or the smallest; or when it stood, the earliest of equals. -0 counts below +0
 * as a value, and is equal to it where the time is asked.
 */
class Extreme implements Accumulator {
  readonly #direction: number;
  readonly #isTime: boolean;
  #best: Value = null;
  #time: bigint | null = null;

  constructor(direction: 1 | -1, isTime: boolean) {
    this.#direction = direction;
    this.#isTime = isTime;
  }

  add(value: Exclude<Value, null>, row: Row): void {
    const order = this.#best === null ? 1 : compareValues(value, this.#best) * this.#direction;
    if (order < 0) return;
    const isZero = order === 0 && value === 0;
    if (order > 0 || (isZero && Object.is(value, 0) === this.#direction > 0)) this.#best = value;
    if (order > 0 || row.time < (this.#time ?? row.time)) this.#time = row.time;
  }

  result(): Value {
    return this.#isTime ? this.#time : this.#best;
  }
}

/** The sample form; Welford's method, which does not cancel. */
class Variance implements Accumulator {
  readonly #isRoot: boolean;
  #count = 0;
  #mean = 0;
  #squares = 0;

  constructor(isRoot: boolean) {
    this.#isRoot = isRoot;
  }

  add(value: Exclude<Value, null>): void {
    const number = Number(value);
    this.#count += 1;
    const step = number - this.#mean;
    this.#mean += step / this.#count;
    this.#squares += step * (number - this.#mean);
  }

  result(): Value {
    if (this.#count < 2) return null;
    const variance = this.#squares / (this.#count - 1);
    return checkedFloat(this.#isRoot ? Math.sqrt(variance) : variance);
  }
}

/** Linear between the two values next to rank q · (n − 1). */
class Percentile implements Accumulator {
  readonly #quantile: number;
  readonly #values: number[] = [];

  constructor(quantile: number) {
    this.#quantile = quantile;
  }

  add(value: Exclude<Value, null>): void {
    this.#values.push(Number(value));
  }

  result(): Value {
    const sorted = Float64Array.from(this.#values).sort();
    const rank = this.#quantile * (sorted.length - 1);
    const low = sorted[Math.floor(rank)];
    const high = sorted[Math.ceil(rank)];
    if (low === undefined || high === undefined) return null;
    const share = rank - Math.floor(rank);
    return checkedFloat(share === 0 ? low : low + (high - low) * share);
  }
}

/** The value at the first or the last time; of equal times the first or the last id. */
class Edge implements Accumulator {
  readonly #direction: number;
  #value: Value = null;
  #row: Row | null = null;

  constructor(direction: 1 | -1) {
    this.#direction = direction;
  }

  add(value: Exclude<Value, null>, row: Row): void {
    if (this.#row !== null && this.#direction * orderOf(row, this.#row) < 0) return;
    this.#value = value;
    this.#row = row;
  }

  result(): Value {
    return this.#value;
  }
}

function orderOf(left: Row, right: Row): number {
  if (left.time !== right.time) return left.time < right.time ? -1 : 1;
  return compareValues(left.series.id, right.series.id);
}
