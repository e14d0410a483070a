/** The names and spellings of functions, for the checker, hints and completion. */

import { aggregateFunctions, type AggregateName } from './aggregate-functions.js';
import { scalarFunctions, type ScalarName } from './scalar-functions.js';
import { windowFunctions, type WindowName } from './window-functions.js';

import type { AggregateFunction } from './aggregate-function.js';
import type { ScalarFunction } from './scalar-function.js';

export function isScalarName(name: string): name is ScalarName {
  return Object.hasOwn(scalarFunctions, name);
}

export function isAggregateName(name: string): name is AggregateName {
  return Object.hasOwn(aggregateFunctions, name);
}

export function isWindowName(name: string): name is WindowName {
  return Object.hasOwn(windowFunctions, name);
}

/** Every function, including functions built into the grammar. */
export const functionNames: readonly string[] = [
  ...Object.keys(scalarFunctions),
  ...Object.keys(aggregateFunctions),
  ...Object.keys(windowFunctions),
  ...['time_bucket', 'now', 'today', 'yesterday', 'this_week', 'cast'],
];

const scalars: readonly ScalarFunction[] = Object.values(scalarFunctions);
/** The functions that go through texts or make new ones, so that one call may be long work. */
export const textFunctionNames: readonly string[] = scalars
  .filter(({ parameters }) => parameters.some(({ kind }) => kind === 'text'))
  .map(({ name }) => name);

const aggregates: readonly AggregateFunction[] = Object.values(aggregateFunctions);
const namesOf = (all: readonly AggregateFunction[]): readonly string[] =>
  all.map(({ name }) => name);

/** The aggregates that take `*`. */
export const starNames = namesOf(aggregates.filter(({ takesStar }) => takesStar === true));
/** The aggregates that take DISTINCT. */
export const distinctNames = namesOf(aggregates.filter(({ distinct }) => distinct !== undefined));
