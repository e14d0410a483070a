/**
 * Evaluates expressions for one row; it defines every operator. Null means unknown, as in SQL.
 * Overflow and results that are not a number give null.
 */

import { checkedFloat, checkedInteger, compareValues, type Value } from '../../values/value.js';
import { arithmetic } from '../functions/arithmetic.js';
import { kPatternWorkMax, patternWork } from '../../values/pattern-work.js';
import { compilePattern, likeMatches, type Pattern } from '../../values/pattern.js';
import { scalarFunctions } from '../functions/scalar-functions.js';

import { bucketStart } from './bucket.js';
import { rowOf, type Arithmetic } from './operator-row.js';
import { labelOf, labelsText, type SeriesInfo } from './series.js';

import type { TimestampUnit } from '../../../common/model/timestamp-unit.js';
import type { MathFunction } from '../../../storage/storage.js';
import type { ScalarTools } from '../functions/scalar-function.js';
import type { ComparisonOp, Expr } from './plan.js';

/** The inputs of an expression. Parts without a use at its place are empty. */
export interface Row {
  readonly time: bigint;
  readonly value: number;
  readonly series: SeriesInfo;
  readonly keys: readonly Value[];
  readonly aggregates: readonly Value[];
  readonly windows: readonly Value[];
}

const noSeries: SeriesInfo = { id: 0n, name: '', labels: [], kind: 'gauge' };

export const emptyRow: Row = {
  time: 0n,
  value: 0,
  series: noSeries,
  keys: [],
  aggregates: [],
  windows: [],
};

/** The most pattern work in the cache. The patterns of a statement are used for every row. */
const kKeptWorkMax = 2 * kPatternWorkMax;

export class Evaluator {
  readonly #unit: TimestampUnit;
  readonly #tools: ScalarTools;
  readonly #patterns = new Map<string, Pattern>();
  #patternWork = 0;

  constructor(unit: TimestampUnit, math: MathFunction | null = null) {
    this.#unit = unit;
    this.#tools = { math, patternOf: (source) => this.pattern(source) };
  }

  isTrue(expr: Expr, row: Row): boolean {
    return this.evaluate(expr, row) === true;
  }

  evaluate(expr: Expr, row: Row): Value {
    switch (expr.kind) {
      case 'literal':
        return expr.value;
      case 'column':
        return columnOf(expr.column, row);
      case 'label':
        return labelOf(row.series, expr.key);
      case 'labels':
        return labelsText(row.series);
      case 'key':
        return row.keys[expr.index] ?? null;
      case 'aggregate':
        return row.aggregates[expr.index] ?? null;
      case 'window':
        return row.windows[expr.index] ?? null;
      case 'negate':
        return negate(this.evaluate(expr.operand, row));
      case 'arithmetic': {
        if (expr.left.kind === 'arithmetic') return this.#row(rowOf(expr), row);
        const left = this.evaluate(expr.left, row);
        return arithmetic(expr.op, left, this.evaluate(expr.right, row));
      }
      case 'compare': {
        const left = this.evaluate(expr.left, row);
        return compare(expr.op, left, this.evaluate(expr.right, row));
      }
      case 'logical':
        return this.#logical(expr.items, expr.op === 'or', row);
      case 'not':
        return not(this.evaluate(expr.operand, row));
      case 'isNull':
        return (this.evaluate(expr.operand, row) === null) !== expr.negated;
      case 'in':
        return this.#in(expr, row);
      case 'like':
      case 'match':
        return this.#textTest(expr, row);
      default:
        return this.#call(expr, row);
    }
  }

  /** Evaluates a row of operators, inner ones first. */
  #row(operators: readonly Arithmetic[], row: Row): Value {
    let value: Value = null;
    for (const [at, { op, left, right }] of operators.entries()) {
      if (at === 0) value = this.evaluate(left, row);
      value = arithmetic(op, value, this.evaluate(right, row));
    }
    return value;
  }

  #call(expr: Extract<Expr, { kind: 'call' | 'bucket' | 'case' | 'cast' }>, row: Row): Value {
    switch (expr.kind) {
      case 'call': {
        const args = expr.args.map((arg) => this.evaluate(arg, row));
        return scalarFunctions[expr.name].evaluate(args, this.#tools);
      }
      case 'bucket': {
        const time = this.evaluate(expr.operand, row);
        return typeof time === 'bigint' ? bucketStart(expr.bucket, time, this.#unit) : null;
      }
      case 'case': {
        const branch = expr.branches.find(({ when }) => this.isTrue(when, row));
        return this.evaluate(branch?.then ?? expr.otherwise, row);
      }
      case 'cast':
        return cast(this.evaluate(expr.operand, row), expr.target);
    }
  }

  /** A value equal to `decides` settles the result at once; a null leaves it open. */
  #logical(items: readonly Expr[], decides: boolean, row: Row): Value {
    let isOpen = false;
    for (const item of items) {
      const value = this.evaluate(item, row);
      if (value === decides) return decides;
      if (value === null) isOpen = true;
    }
    return isOpen ? null : !decides;
  }

  #in(expr: Extract<Expr, { kind: 'in' }>, row: Row): Value {
    const operand = this.evaluate(expr.operand, row);
    if (operand === null) return null;
    let hasNull = false;
    for (const item of expr.items) {
      const value = this.evaluate(item, row);
      if (value === null) hasNull = true;
      else if (compareValues(operand, value) === 0) return !expr.negated;
    }
    return hasNull ? null : expr.negated;
  }

  #textTest(expr: Extract<Expr, { kind: 'like' | 'match' }>, row: Row): Value {
    const text = this.evaluate(expr.operand, row);
    if (typeof text !== 'string') return null;
    if (expr.kind === 'match') return this.pattern(expr.pattern).matches(text) !== expr.negated;
    const pattern = this.evaluate(expr.pattern, row);
    return typeof pattern === 'string' ? likeMatches(text, pattern) !== expr.negated : null;
  }

  /** Compiled once. If the pattern is malformed, throws an Error whose message is a sentence. */
  pattern(source: string): Pattern {
    let pattern = this.#patterns.get(source);
    if (pattern === undefined) {
      pattern = compilePattern(source);
      this.#patternWork += patternWork(source);
      if (this.#patternWork > kKeptWorkMax) {
        this.#patterns.clear();
        this.#patternWork = patternWork(source);
      }
      this.#patterns.set(source, pattern);
    }
    return pattern;
  }
}

function columnOf(column: 'time' | 'value' | 'metric' | 'series_id', row: Row): Value {
  switch (column) {
    case 'time':
      return row.time;
    case 'value':
      return checkedFloat(row.value);
    case 'metric':
      return row.series.name;
    case 'series_id':
      return row.series.id;
  }
}

function not(value: Value): Value {
  return typeof value === 'boolean' ? !value : null;
}

function negate(value: Value): Value {
  if (typeof value === 'bigint') return checkedInteger(-value);
  return typeof value === 'number' ? -value : null;
}

function compare(op: ComparisonOp, left: Value, right: Value): Value {
  if (left === null || right === null) return null;
  const order = compareValues(left, right);
  switch (op) {
    case '=':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}

const numberText = /^\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*$/;

function cast(value: Value, target: 'integer' | 'float' | 'string'): Value {
  if (value === null) return null;
  switch (target) {
    case 'string':
      return printValue(value);
    case 'float': {
      if (typeof value === 'string' && !numberText.test(value)) return null;
      return checkedFloat(Number(value));
    }
    case 'integer':
      return castToInteger(value);
  }
}

function castToInteger(value: bigint | number | string | boolean): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'number') return checkedInteger(BigInt(Math.trunc(value)));
  const text = value.trim();
  if (/^[+-]?[0-9]{1,40}$/.test(text)) return checkedInteger(BigInt(text.replace('+', '')));
  if (!numberText.test(text)) return null;
  const float = Number(text);
  return Number.isFinite(float) ? checkedInteger(BigInt(Math.trunc(float))) : null;
}

/** The value as text. Floats have the shortest form that reads back the same. */
export function printValue(value: bigint | number | string | boolean): string {
  return typeof value === 'number' ? printFloat(value) : String(value);
}

/** The number form of the API: `24.2`, `1e21`, `-0`. */
export function printFloat(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const text = String(value);
  return text.includes('e+') ? text.replace('e+', 'e') : text;
}
