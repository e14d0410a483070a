// Made from the files in aggregate/ by scripts/function-tables.mjs; only the order is yours.

import { avg } from './aggregate/avg.js';
import { count } from './aggregate/count.js';
import { delta } from './aggregate/delta.js';
import { first } from './aggregate/first.js';
import { increase } from './aggregate/increase.js';
import { integral } from './aggregate/integral.js';
import { irate } from './aggregate/irate.js';
import { last } from './aggregate/last.js';
import { maxTime } from './aggregate/max-time.js';
import { max } from './aggregate/max.js';
import { median } from './aggregate/median.js';
import { minTime } from './aggregate/min-time.js';
import { min } from './aggregate/min.js';
import { percentile } from './aggregate/percentile.js';
import { quantile } from './aggregate/quantile.js';
import { rate } from './aggregate/rate.js';
import { stddev } from './aggregate/stddev.js';
import { sum } from './aggregate/sum.js';
import { variance } from './aggregate/variance.js';

import type { AggregateFunction } from './aggregate-function.js';

const table = {
  count,
  sum,
  avg,
  min,
  max,
  stddev,
  variance,
  median,
  percentile,
  first,
  last,
  min_time: minTime,
  max_time: maxTime,
  delta,
  increase,
  rate,
  irate,
  integral,
  quantile,
};

export type AggregateName = keyof typeof table;

/** Each under the name that its file has. */
export const aggregateFunctions: {
  readonly [Name in AggregateName]: AggregateFunction<Name>;
} = table;
