/**
 * Aggregates over neighbouring samples of one series, then summed over the series of the group:
 * `delta`, `increase`, `rate`, `irate`, `integral`. A counter that drops was reset to zero.
 */

import { checkedFloat, type Value } from '../value.js';

import { CompensatedSum } from './compensated-sum.js';

import type { Row } from '../evaluate.js';
import type { SeriesInfo } from '../source.js';

export interface Accumulator {
  /** `value` is the argument for this row, never null. Rows of one series come in time order. */
  add(value: Exclude<Value, null>, row: Row): void;
  result(): Value;
}

type Name = 'delta' | 'increase' | 'rate' | 'irate' | 'integral';

/** One series so far. */
interface Run {
  readonly series: SeriesInfo;
  readonly firstTime: bigint;
  lastTime: bigint;
  lastValue: number;
  /** Sum of the steps, resets heeded. */
  readonly increase: CompensatedSum;
  readonly area: CompensatedSum;
  /** The last step; null after one sample. */
  lastStep: { readonly change: number; readonly seconds: number } | null;
}

export class Differences implements Accumulator {
  readonly #name: Name;
  readonly #unitsPerSecond: number;
  #run: Run | null = null;
  #first = 0;
  readonly #sum = new CompensatedSum();
  #isEmpty = true;

  constructor(name: Name, unitsPerSecond: number) {
    this.#name = name;
    this.#unitsPerSecond = unitsPerSecond;
  }

  add(value: Exclude<Value, null>, row: Row): void {
    const number = Number(value);
    const run = this.#run;
    if (run?.series.id !== row.series.id) {
      this.#close();
      this.#first = number;
      this.#run = {
        series: row.series,
        firstTime: row.time,
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
    const value = run === null ? null : this.#valueOf(run);
    if (value === null) return;
    this.#sum.add(value);
    this.#isEmpty = false;
  }

  #valueOf(run: Run): number | null {
    const isCounter = run.series.kind === 'counter';
    const increase = isCounter ? run.increase.total() : run.lastValue - this.#first;
    switch (this.#name) {
      case 'delta':
      case 'increase':
        return increase;
      case 'integral':
        return run.area.total();
      case 'rate': {
        const seconds = Number(run.lastTime - run.firstTime) / this.#unitsPerSecond;
        return run.lastStep === null ? null : increase / seconds;
      }
      case 'irate':
        return run.lastStep === null ? null : run.lastStep.change / run.lastStep.seconds;
    }
  }
}
