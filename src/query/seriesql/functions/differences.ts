/**
 * Aggregates over adjacent samples of one series, summed over the series of the group: `delta`,
 * `increase`, `rate`, `irate`, `integral`. If a counter drops, it was reset to zero.
 */

import { checkedFloat, type Value } from '../../values/value.js';

import { CompensatedSum } from './compensated-sum.js';

import type { Accumulator, AggregatedRow } from './aggregate-function.js';

/** The state of one series. */
export interface DifferenceRun {
  readonly series: AggregatedRow['series'];
  readonly firstTime: bigint;
  readonly firstValue: number;
  lastTime: bigint;
  lastValue: number;
  /** The sum of the steps, with counter resets taken into account. */
  readonly increase: CompensatedSum;
  readonly area: CompensatedSum;
  /** The last step; null after one sample. */
  lastStep: { readonly change: number; readonly seconds: number } | null;
}

/** The contribution of one series; null if it has none. */
type DifferenceOf = (run: DifferenceRun, unitsPerSecond: number) => number | null;

export class Differences implements Accumulator {
  readonly #valueOf: DifferenceOf;
  readonly #unitsPerSecond: number;
  #run: DifferenceRun | null = null;
  readonly #sum = new CompensatedSum();
  #isEmpty = true;

  constructor(valueOf: DifferenceOf, unitsPerSecond: number) {
    this.#valueOf = valueOf;
    this.#unitsPerSecond = unitsPerSecond;
  }

  add(value: Exclude<Value, null>, row: AggregatedRow): void {
    const number = Number(value);
    const run = this.#run;
    if (run?.series.id !== row.series.id) {
      this.#close();
      this.#run = {
        series: row.series,
        firstTime: row.time,
        firstValue: number,
        lastTime: row.time,
        lastValue: number,
        increase: new CompensatedSum(),
        area: new CompensatedSum(),
        lastStep: null,
      };
      return;
    }
    const seconds = Number(row.time - run.lastTime) / this.#unitsPerSecond;
    const isReset = run.series.kind === 'counter' && number < run.lastValue;
    const change = isReset ? number : number - run.lastValue;
    run.increase.add(change);
    run.area.add(((number + run.lastValue) / 2) * seconds);
    run.lastStep = { change, seconds };
    run.lastTime = row.time;
    run.lastValue = number;
  }

  result(): Value {
    this.#close();
    return this.#isEmpty ? null : checkedFloat(this.#sum.total());
  }

  #close(): void {
    const run = this.#run;
    this.#run = null;
    const value = run === null ? null : this.#valueOf(run, this.#unitsPerSecond);
    if (value === null) return;
    this.#sum.add(value);
    this.#isEmpty = false;
  }
}

/** For a counter the sum of its steps; for a gauge the last value minus the first. */
export function increaseOf(run: DifferenceRun): number {
  const isCounter = run.series.kind === 'counter';
  return isCounter ? run.increase.total() : run.lastValue - run.firstValue;
}
