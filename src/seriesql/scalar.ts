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
  return scalars[name](args, tools);
}

type Scalar = (args: readonly Value[], tools: ScalarTools) => Value;

/** In UTF-16 units. A longer text is null, as a number past its range is. */
const kTextMax = 65_536;

/** Each function of the language. */
const scalars: Readonly<Record<ScalarName, Scalar>> = {
  coalesce: (args) => args.find((arg) => arg !== null) ?? null,
  greatest: (args) => extreme(args, 1),
  least: (args) => extreme(args, -1),
  nullif: ([left = null, right = null]) =>
    left !== null && right !== null && compareValues(left, right) === 0 ? null : left,

  abs: ofNumber((value) => checkedInteger(value < 0n ? -value : value), Math.abs),
  ceil: ofNumber((value) => value, Math.ceil),
  floor: ofNumber((value) => value, Math.floor),
  trunc: ofNumber((value) => value, Math.trunc),
  sign: ofNumber((value) => (value < 0n ? -1n : value > 0n ? 1n : 0n), Math.sign),
  round: ofNumber(roundInteger, roundFloat),
  sqrt: ofFloat(Math.sqrt),
  exp: ofFloat((x, y, math) => math('exp', x, y)),
  ln: ofFloat((x, y, math) => math('ln', x, y)),
  log10: ofFloat((x, y, math) => math('log10', x, y)),
  log2: ofFloat((x, y, math) => math('log2', x, y)),
  pow: ofFloat((x, y, math) => math('pow', x, y)),

  lower: ofText(([text = '']) => text.toLowerCase()),
  upper: ofText(([text = '']) => text.toUpperCase()),
  concat: ofText((texts) =>
    texts.reduce((sum, { length }) => sum + length, 0) > kTextMax ? null : texts.join(''),
  ),
  length: ofText(([text = '']) => BigInt(Array.from(text).length)),
  substr: ofText(([text = ''], args) => substr(text, args)),
  replace: ofText(([text = '', part = '', by = '']) => replaceAll(text, part, by)),
  regexp_extract: ofText(([text = '', pattern = ''], args, { patternOf }) =>
    patternOf(pattern).extract(text, Number(args[2] ?? 0n)),
  ),
};

/** Keeps the type of its first argument; a second one is a number of digits. */
function ofNumber(
  ofInteger: (value: bigint, digits: number) => Value,
  ofFloats: (value: number, digits: number) => Value,
): Scalar {
  return (args) => {
    if (args.includes(null)) return null;
    const [value, digits = 0n] = args;
    if (typeof value === 'bigint') return ofInteger(value, Number(digits));
    return ofFloats(Number(value), Number(digits));
  };
}

/** Makes a float of one or two numbers. */
function ofFloat(f: (x: number, y: number, math: MathFunction) => number): Scalar {
  return (args, { math }) =>
    args.includes(null) ? null : checkedFloat(f(Number(args[0]), Number(args[1] ?? 0), math));
}

function ofText(
  f: (texts: readonly string[], args: readonly Value[], tools: ScalarTools) => Value,
): Scalar {
  return (args, tools) => (args.includes(null) ? null : f(args.map(String), args, tools));
}

function extreme(args: readonly Value[], direction: number): Value {
  let best: Value = null;
  for (const arg of args) {
    if (arg === null) continue;
    if (best === null || compareValues(arg, best) * direction > 0) best = arg;
  }
  return best;
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
