/** Windows over the rows of one series, in time order. */

import { arithmetic } from '../evaluate.js';
import { checkedFloat, checkedInteger, type Value } from '../value.js';

import { inTurns } from './turns.js';

import type { Evaluator, Row } from '../evaluate.js';
import type { Guard } from '../guard.js';
import type { Window } from '../plan/plan.js';

/** The rows with the value of every window added. A window may read those before it. */
export async function withWindows(
  rows: readonly Row[],
  windows: readonly Window[],
  how: { readonly evaluator: Evaluator; readonly guard: Guard; readonly unitsPerSecond: number },
): Promise<readonly Row[]> {
  const { evaluator, guard, unitsPerSecond } = how;
  const computed: Value[][] = [];
  const wide: Row[] = [];
  await inTurns(guard, rows, (row) => {
    const added: Value[] = [];
    computed.push(added);
    wide.push({ ...row, windows: added });
  });
  for (const window of windows) {
    const values: Value[] = [];
    await inTurns(guard, wide, (row) => values.push(evaluator.evaluate(window.argument, row)));
    const next = stepsOf(window, { values, rows, unitsPerSecond });
    await inTurns(guard, computed, (added, at) => added.push(next(at)));
  }
  return wide;
}

interface Input {
  readonly values: readonly Value[];
  readonly rows: readonly Row[];
  readonly unitsPerSecond: number;
}

/** Gives the value at each place, from the first on. */
type Steps = (at: number) => Value;

function stepsOf(window: Window, input: Input): Steps {
  const { values } = input;
  const valueAt = (at: number): Value => values[at] ?? null;
  switch (window.name) {
    case 'lag':
      return (at) => valueAt(at - window.rows);
    case 'lead':
      return (at) => valueAt(at + window.rows);
    case 'diff':
      return (at) => arithmetic('-', valueAt(at), valueAt(at - 1));
    case 'derivative':
      return (at) => slope(input, at);
    case 'cumulative_sum':
      return cumulativeSum(values);
    case 'moving_avg':
      return movingAverage(input, window);
    case 'ema':
      return exponentialAverage(input, window);
    case 'fill_forward':
      return fillForward(values);
  }
}

function slope({ values, rows, unitsPerSecond }: Input, at: number): Value {
  const [row, previous] = [rows[at], rows[at - 1]];
  if (row === undefined || previous === undefined) return null;
  const change = arithmetic('-', values[at] ?? null, values[at - 1] ?? null);
  if (change === null) return null;
  const seconds = Number(row.time - previous.time) / unitsPerSecond;
  return checkedFloat(Number(change) / seconds);
}

/** Nulls add nothing; a sum past its type stays null. */
function cumulativeSum(values: readonly Value[]): Steps {
  let integers: bigint | null = null;
  let floats: number | null = null;
  return (at) => {
    const value = values[at] ?? null;
    if (typeof value === 'bigint') integers = (integers ?? 0n) + value;
    if (typeof value === 'number') floats = (floats ?? 0) + value;
    if (integers !== null) return checkedInteger(integers);
    return floats === null ? null : checkedFloat(floats);
  };
}

/** The mean of what is not null in the last rows, or in (t − duration, t]. */
function movingAverage({ values, rows }: Input, window: Window): Steps {
  const sum = new SlidingSum();
  let from = 0;
  return (at) => {
    const now = rows[at]?.time ?? 0n;
    const isOut = (index: number): boolean =>
      window.duration === null
        ? index <= at - window.rows
        : (rows[index]?.time ?? 0n) <= now - window.duration;
    sum.push(values[at] ?? null);
    for (; isOut(from); from += 1) sum.shift();
    return sum.mean();
  };
}

interface PartialSum {
  readonly sum: number;
  readonly count: number;
}

const nothing: PartialSum = { sum: 0, count: 0 };

function plus({ sum, count }: PartialSum, value: Value): PartialSum {
  return value === null ? { sum, count } : { sum: sum + Number(value), count: count + 1 };
}

/**
 * A queue with the sum of what it holds, in constant time on average and without a subtraction,
 * which would leave the rounding of values long gone: two stacks, each with sums from its bottom.
 */
class SlidingSum {
  readonly #out: PartialSum[] = [];
  readonly #in: Value[] = [];
  #inSum = nothing;

  push(value: Value): void {
    this.#in.push(value);
    this.#inSum = plus(this.#inSum, value);
  }

  shift(): void {
    if (this.#out.length === 0) {
      let sum = nothing;
      for (let value = this.#in.pop(); value !== undefined; value = this.#in.pop()) {
        sum = plus(sum, value);
        this.#out.push(sum);
      }
      this.#inSum = nothing;
    }
    this.#out.pop();
  }

  mean(): Value {
    const out = this.#out.at(-1) ?? nothing;
    const count = out.count + this.#inSum.count;
    return count === 0 ? null : checkedFloat((out.sum + this.#inSum.sum) / count);
  }
}

/** α = 1 − e^(−Δt/d), started at the first value; nulls leave it as it is. */
function exponentialAverage({ values, rows }: Input, window: Window): Steps {
  const duration = Number(window.duration ?? 1n);
  let mean: number | null = null;
  let lastTime = 0n;
  return (at) => {
    const value = values[at] ?? null;
    if (value === null) return mean;
    const time = rows[at]?.time ?? 0n;
    const share = 1 - Math.exp(-Number(time - lastTime) / duration);
    mean = mean === null ? Number(value) : mean + share * (Number(value) - mean);
    lastTime = time;
    return checkedFloat(mean);
  };
}

function fillForward(values: readonly Value[]): Steps {
  let last: Value = null;
  return (at) => {
    last = values[at] ?? last;
    return last;
  };
}
