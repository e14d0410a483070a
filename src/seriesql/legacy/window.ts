/** Windows over the rows of one series, in time order. */

import { arithmetic } from '../evaluate.js';
import { checkedFloat, checkedInteger, type Value } from '../value.js';

import type { Evaluator, Row } from '../evaluate.js';
import type { Window } from '../plan/plan.js';

/** The rows with the value of every window added. A window may read those before it. */
export function withWindows(
  rows: readonly Row[],
  windows: readonly Window[],
  how: { readonly evaluator: Evaluator; readonly unitsPerSecond: number },
): readonly Row[] {
  let result = rows;
  for (const window of windows) {
    const values = result.map((row) => how.evaluator.evaluate(window.argument, row));
    const computed = columnOf(window, { values, rows, unitsPerSecond: how.unitsPerSecond });
    result = result.map((row, at) => ({ ...row, windows: [...row.windows, computed[at] ?? null] }));
  }
  return result;
}

interface Input {
  readonly values: readonly Value[];
  readonly rows: readonly Row[];
  readonly unitsPerSecond: number;
}

function columnOf(window: Window, input: Input): readonly Value[] {
  const { values } = input;
  switch (window.name) {
    case 'lag':
      return values.map((_, at) => values[at - window.rows] ?? null);
    case 'lead':
      return values.map((_, at) => values[at + window.rows] ?? null);
    case 'diff':
      return values.map((value, at) => arithmetic('-', value, values[at - 1] ?? null));
    case 'derivative':
      return values.map((value, at) => slope(input, at, value));
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

function slope({ values, rows, unitsPerSecond }: Input, at: number, value: Value): Value {
  const [row, previous] = [rows[at], rows[at - 1]];
  if (row === undefined || previous === undefined) return null;
  const change = arithmetic('-', value, values[at - 1] ?? null);
  if (change === null) return null;
  const seconds = Number(row.time - previous.time) / unitsPerSecond;
  return checkedFloat(Number(change) / seconds);
}

/** Nulls add nothing; a sum past its type stays null. */
function cumulativeSum(values: readonly Value[]): readonly Value[] {
  let integers: bigint | null = null;
  let floats: number | null = null;
  return values.map((value) => {
    if (typeof value === 'bigint') integers = (integers ?? 0n) + value;
    if (typeof value === 'number') floats = (floats ?? 0) + value;
    if (integers !== null) return checkedInteger(integers);
    return floats === null ? null : checkedFloat(floats);
  });
}

/** The mean of what is not null in the last rows, or in (t − duration, t]. */
function movingAverage({ values, rows }: Input, window: Window): readonly Value[] {
  let from = 0;
  return values.map((_, at) => {
    const now = rows[at]?.time ?? 0n;
    const isOut = (index: number): boolean =>
      window.duration === null
        ? index <= at - window.rows
        : (rows[index]?.time ?? 0n) <= now - window.duration;
    while (isOut(from)) from += 1;
    let sum = 0;
    let count = 0;
    for (let index = from; index <= at; index++) {
      const value = values[index] ?? null;
      if (value === null) continue;
      sum += Number(value);
      count += 1;
    }
    return count === 0 ? null : checkedFloat(sum / count);
  });
}

/** α = 1 − e^(−Δt/d), started at the first value; nulls leave it as it is. */
function exponentialAverage({ values, rows }: Input, window: Window): readonly Value[] {
  const duration = Number(window.duration ?? 1n);
  let mean: number | null = null;
  let lastTime = 0n;
  return values.map((value, at) => {
    if (value === null) return mean;
    const time = rows[at]?.time ?? 0n;
    const share = 1 - Math.exp(-Number(time - lastTime) / duration);
    mean = mean === null ? Number(value) : mean + share * (Number(value) - mean);
    lastTime = time;
    return checkedFloat(mean);
  });
}

function fillForward(values: readonly Value[]): readonly Value[] {
  let last: Value = null;
  return values.map((value) => {
    last = value ?? last;
    return last;
  });
}
