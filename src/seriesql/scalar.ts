/** The scalar functions: values in, value out. Null in is null out unless it says otherwise. */

import { checkedFloat, checkedInteger, compareValues, type Value } from './value.js';

import type { MathFunction } from '../storage/storage.js';
import type { Pattern } from './pattern.js';
import type { ScalarName } from './plan/plan.js';

/** What functions need of their surroundings. */
export interface ScalarTools {
  readonly patternOf: (source: string) => Pattern;
  readonly math: MathFunction;
}

/** Where no storage says how they are computed. */
export const scriptMath: MathFunction = (name, x, y) => {
  switch (name) {
    case 'exp':
      return Math.exp(x);
    case 'ln':
      return Math.log(x);
    case 'log10':
      return Math.log10(x);
    case 'log2':
      return Math.log2(x);
    case 'pow':
      return Math.pow(x, y);
  }
};

/** Arguments were checked: their number and types fit. */
export function callScalar(name: ScalarName, args: readonly Value[], tools: ScalarTools): Value {
  switch (name) {
    case 'coalesce':
      return args.find((arg) => arg !== null) ?? null;
    case 'greatest':
      return extreme(args, 1);
    case 'least':
      return extreme(args, -1);
    case 'nullif': {
      const [left = null, right = null] = args;
      return left !== null && right !== null && compareValues(left, right) === 0 ? null : left;
    }
    default:
  }
  if (args.includes(null)) return null;
  const [first = null] = args;
  if (typeof first === 'string') return textFunction(name, args, tools);
  if (typeof first === 'bigint') return integerFunction(name, first, args, tools);
  return typeof first === 'number' ? floatFunction(name, first, args, tools) : null;
}

function extreme(args: readonly Value[], direction: number): Value {
  let best: Value = null;
  for (const arg of args) {
    if (arg === null) continue;
    if (best === null || compareValues(arg, best) * direction > 0) best = arg;
  }
  return best;
}

function integerFunction(
  name: ScalarName,
  value: bigint,
  args: readonly Value[],
  tools: ScalarTools,
): Value {
  switch (name) {
    case 'abs':
      return checkedInteger(value < 0n ? -value : value);
    case 'ceil':
    case 'floor':
    case 'trunc':
      return value;
    case 'sign':
      return value < 0n ? -1n : value > 0n ? 1n : 0n;
    case 'round':
      return roundInteger(value, Number(args[1] ?? 0n));
    default:
      return floatFunction(name, Number(value), args, tools);
  }
}

/** Half away from zero; negative digits stand before the point. */
function roundInteger(value: bigint, digits: number): Value {
  if (digits >= 0) return value;
  if (digits < -19) return 0n;
  const unit = 10n ** BigInt(-digits);
  const size = value < 0n ? -value : value;
  const rounded = ((size + unit / 2n) / unit) * unit;
  return checkedInteger(value < 0n ? -rounded : rounded);
}

function floatFunction(
  name: ScalarName,
  value: number,
  args: readonly Value[],
  { math }: ScalarTools,
): Value {
  switch (name) {
    case 'abs':
      return Math.abs(value);
    case 'ceil':
      return Math.ceil(value);
    case 'floor':
      return Math.floor(value);
    case 'trunc':
      return Math.trunc(value);
    case 'sign':
      return Math.sign(value);
    case 'round':
      return roundFloat(value, Number(args[1] ?? 0n));
    case 'sqrt':
      return checkedFloat(Math.sqrt(value));
    case 'exp':
    case 'ln':
    case 'log10':
    case 'log2':
    case 'pow':
      return checkedFloat(math(name, value, Number(args[1] ?? 0)));
    default:
      return null;
  }
}

/** Half away from zero. Where ten to the digits is past a double, nothing is left to round. */
function roundFloat(value: number, digits: number): Value {
  const factor = 10 ** Math.abs(digits);
  if (!Number.isFinite(factor)) return digits > 0 ? value : 0;
  const scaled = digits >= 0 ? Math.abs(value) * factor : Math.abs(value) / factor;
  if (!Number.isFinite(scaled)) return value;
  const whole = Math.trunc(scaled);
  const rounded = scaled - whole >= 0.5 ? whole + 1 : whole;
  const size = digits >= 0 ? rounded / factor : rounded * factor;
  return checkedFloat(value < 0 || Object.is(value, -0) ? -size : size);
}

/** In UTF-16 units. A longer text is null, as a number past its range is. */
const kTextMax = 65_536;

function textFunction(name: ScalarName, args: readonly Value[], { patternOf }: ScalarTools): Value {
  const texts = args.map(String);
  const [text = '', second = '', third = ''] = texts;
  switch (name) {
    case 'lower':
      return text.toLowerCase();
    case 'upper':
      return text.toUpperCase();
    case 'concat':
      return texts.reduce((sum, { length }) => sum + length, 0) > kTextMax ? null : texts.join('');
    case 'length':
      return BigInt(Array.from(text).length);
    case 'substr':
      return substr(text, args);
    case 'replace':
      return replaceAll(text, second, third);
    case 'regexp_extract':
      return patternOf(second).extract(text, Number(args[2] ?? 0n));
    default:
      return null;
  }
}

function replaceAll(text: string, part: string, by: string): Value {
  if (part === '') return text;
  const pieces = text.split(part);
  const length = text.length + (pieces.length - 1) * (by.length - part.length);
  return length > kTextMax ? null : pieces.join(by);
}

/** Counts code points from 1; what lies outside the text is left out. */
function substr(text: string, args: readonly Value[]): Value {
  const characters = Array.from(text);
  const start = typeof args[1] === 'bigint' ? args[1] : 1n;
  const count = typeof args[2] === 'bigint' ? args[2] : BigInt(characters.length) + 1n - start;
  const clamp = (place: bigint): number => {
    const size = BigInt(characters.length);
    return Number(place < 0n ? 0n : place > size ? size : place);
  };
  return characters
    .slice(clamp(start - 1n), clamp(start - 1n + (count < 0n ? 0n : count)))
    .join('');
}
