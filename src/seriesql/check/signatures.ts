/** The functions of the language: how many arguments of which types, and what comes out. */

import type { AggregateName, ScalarName, WindowName } from '../plan/plan.js';
import type { StaticType, ValueType } from '../value.js';

/** What an argument must be. `literal` kinds are fixed when the query is read. */
export type ArgumentKind = 'number' | 'text' | 'any' | 'integer' | 'pattern' | 'group';

export interface ScalarSignature {
  /** The last kind stands for all further arguments when `isVariadic`. */
  readonly args: readonly ArgumentKind[];
  readonly optional: number;
  readonly isVariadic?: true;
  /** `first`: as the first argument; `shared`: the one type that all arguments have. */
  readonly result: ValueType | 'first' | 'shared';
  /** Whether the result may be null although no argument is. */
  readonly mayBeNull: boolean;
}

const keepsType: ScalarSignature = {
  args: ['number'],
  optional: 0,
  result: 'first',
  mayBeNull: false,
};
const floatOf: ScalarSignature = {
  args: ['number'],
  optional: 0,
  result: 'float',
  mayBeNull: true,
};
const textOf: ScalarSignature = { args: ['text'], optional: 0, result: 'string', mayBeNull: false };
const anyOf: ScalarSignature = {
  args: ['any'],
  optional: 0,
  isVariadic: true,
  result: 'shared',
  mayBeNull: false,
};

export const scalarSignatures: Readonly<Record<ScalarName, ScalarSignature>> = {
  abs: { ...keepsType, mayBeNull: true },
  ceil: keepsType,
  floor: keepsType,
  trunc: keepsType,
  sign: keepsType,
  round: { args: ['number', 'integer'], optional: 1, result: 'first', mayBeNull: true },
  sqrt: floatOf,
  exp: floatOf,
  ln: floatOf,
  log10: floatOf,
  log2: floatOf,
  pow: { args: ['number', 'number'], optional: 0, result: 'float', mayBeNull: true },
  greatest: anyOf,
  least: anyOf,
  coalesce: anyOf,
  nullif: { args: ['any', 'any'], optional: 0, result: 'first', mayBeNull: true },
  lower: textOf,
  upper: textOf,
  concat: { ...textOf, isVariadic: true, mayBeNull: true },
  substr: { args: ['text', 'integer', 'integer'], optional: 1, result: 'string', mayBeNull: false },
  length: { args: ['text'], optional: 0, result: 'integer', mayBeNull: false },
  replace: { args: ['text', 'text', 'text'], optional: 0, result: 'string', mayBeNull: true },
  regexp_extract: {
    args: ['text', 'pattern', 'group'],
    optional: 1,
    result: 'string',
    mayBeNull: true,
  },
};

export interface AggregateSignature {
  readonly argument: 'number' | 'any';
  readonly result: 'integer' | 'float' | 'timestamp' | 'sum' | 'first';
}

const numberToFloat: AggregateSignature = { argument: 'number', result: 'float' };
const keepsAny: AggregateSignature = { argument: 'any', result: 'first' };

export const aggregateSignatures: Readonly<Record<AggregateName, AggregateSignature>> = {
  count: { argument: 'any', result: 'integer' },
  sum: { argument: 'number', result: 'sum' },
  avg: numberToFloat,
  min: keepsAny,
  max: keepsAny,
  stddev: numberToFloat,
  variance: numberToFloat,
  median: numberToFloat,
  percentile: numberToFloat,
  first: keepsAny,
  last: keepsAny,
  min_time: { argument: 'any', result: 'timestamp' },
  max_time: { argument: 'any', result: 'timestamp' },
  delta: numberToFloat,
  increase: numberToFloat,
  rate: numberToFloat,
  irate: numberToFloat,
  integral: numberToFloat,
};

export interface WindowSignature {
  readonly argument: 'number' | 'any';
  readonly result: 'float' | 'sum' | 'difference' | 'first';
  /** The second argument. */
  readonly second: 'rows?' | 'rows or duration' | 'duration' | null;
}

export const windowSignatures: Readonly<Record<WindowName, WindowSignature>> = {
  lag: { argument: 'any', result: 'first', second: 'rows?' },
  lead: { argument: 'any', result: 'first', second: 'rows?' },
  diff: { argument: 'number', result: 'difference', second: null },
  derivative: { argument: 'number', result: 'float', second: null },
  cumulative_sum: { argument: 'number', result: 'sum', second: null },
  moving_avg: { argument: 'number', result: 'float', second: 'rows or duration' },
  ema: { argument: 'number', result: 'float', second: 'duration' },
  fill_forward: { argument: 'any', result: 'first', second: null },
};

/** Every function, for hints. */
export const functionNames: readonly string[] = [
  ...Object.keys(scalarSignatures),
  ...Object.keys(aggregateSignatures),
  ...Object.keys(windowSignatures),
  ...['time_bucket', 'now', 'cast'],
];

export function isAggregateName(name: string): name is AggregateName {
  return Object.hasOwn(aggregateSignatures, name);
}

export function isScalarName(name: string): name is ScalarName {
  return Object.hasOwn(scalarSignatures, name);
}

export function isWindowName(name: string): name is WindowName {
  return Object.hasOwn(windowSignatures, name);
}

export function isNumeric(type: StaticType): boolean {
  return type === 'integer' || type === 'float' || type === 'timestamp' || type === 'duration';
}

/** The type that holds values of both, or null when there is none. */
export function sharedType(left: StaticType, right: StaticType): StaticType | null {
  if (left === right || right === 'null') return left;
  if (left === 'null') return right;
  if (!isNumeric(left) || !isNumeric(right)) return null;
  return left === 'float' || right === 'float' ? 'float' : 'integer';
}

/** The type of a sum of values of this type. */
export function sumType(type: StaticType): ValueType {
  return type === 'float' ? 'float' : 'integer';
}
