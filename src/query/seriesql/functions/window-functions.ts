// Made from the files in window/ by scripts/function-tables.mjs; only the order is yours.

import { cumulativeSum } from './window/cumulative-sum.js';
import { derivative } from './window/derivative.js';
import { diff } from './window/diff.js';
import { ema } from './window/ema.js';
import { fillForward } from './window/fill-forward.js';
import { lag } from './window/lag.js';
import { lead } from './window/lead.js';
import { movingAvg } from './window/moving-avg.js';

import type { WindowFunction } from './window-function.js';

const table = {
  lag,
  lead,
  diff,
  derivative,
  cumulative_sum: cumulativeSum,
  moving_avg: movingAvg,
  ema,
  fill_forward: fillForward,
};

export type WindowName = keyof typeof table;

/** Each under the name that its file has. */
export const windowFunctions: {
  readonly [Name in WindowName]: WindowFunction<Name>;
} = table;
