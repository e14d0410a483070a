/**
 * The values of a query and their types. Integers, timestamps and durations are bigints within 64
 * bits. Floats are finite; other results become null.
 */

import { noteTextWork } from '../limits/text-work.js';
import { kI64Max, kI64Min } from '../../common/model/integers.js';

export type ValueType = 'integer' | 'float' | 'string' | 'boolean' | 'timestamp' | 'duration';

/** The type of an expression before it runs. `null` is the type of the bare literal. */
export type StaticType = ValueType | 'null';

export type Value = bigint | number | string | boolean | null;

export { kI64Max, kI64Min };

/** Null beyond 64 bits. */
export function checkedInteger(value: bigint): bigint | null {
  return value >= kI64Min && value <= kI64Max ? value : null;
}

/** Null if it is not finite. */
export function checkedFloat(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/**
 * Orders two values of comparable types. Numbers compare by their exact value, even an integer with
 * a float; strings by their UTF-8 bytes; false before true. Neither may be null.
 */
export function compareValues(left: Value, right: Value): number {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  const [a, b] = [left ?? 0, right ?? 0];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Orders by UTF-8 bytes, which is the order of code points but not of UTF-16 units. */
export function compareText(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = length > kBlock ? sameBlocks(left, right) : 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return orderOfUnit(a) - orderOfUnit(b);
  }
  return left.length - right.length;
}

/** Long texts are compared in blocks of this many UTF-16 units. */
const kBlock = 1024;

/** The number of units in the leading blocks that both share. */
function sameBlocks(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at + kBlock <= length && left.slice(at, at + kBlock) === right.slice(at, at + kBlock)) {
    at += kBlock;
  }
  noteTextWork(at >> kBlockShift);
  return at;
}

/** Comparing blocks costs about an eighth of making such a text. */
const kBlockShift = 3;

/** Surrogates encode code points above all others, so they sort last. */
function orderOfUnit(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
