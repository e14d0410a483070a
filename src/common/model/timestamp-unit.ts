/**
 * Timestamp units, the types of times, and all conversions between them. A type tells the unit of a
 * number to the compiler; at run time it costs nothing. An instant since 1970 and a span have the
 * same type. Arithmetic gives a plain number, whose unit databaseTime() and its like state anew.
 */

import { floorDivide, kI64Max, kI64Min } from './integers.js';

export const timestampUnits = ['s', 'ms', 'us', 'ns'] as const;

export type TimestampUnit = (typeof timestampUnits)[number];

export function isTimestampUnit(text: string): text is TimestampUnit {
  return (timestampUnits as readonly string[]).includes(text);
}

declare const unit: unique symbol;

/** In the unit of the database, whose `TimestampUnit` the code has at hand. */
export type DatabaseTime = bigint & { readonly [unit]: 'database' };
/** A bigint is a 64-bit integer of a protocol or of the addon. */
export type Milliseconds<Form extends bigint | number = number> = Form & { readonly [unit]: 'ms' };
export type Nanoseconds = bigint & { readonly [unit]: 'ns' };

/** A number whose unit is not stated. */
type Plain<Form extends bigint | number> = Form & { readonly [unit]?: never };

/** States the unit of a result of arithmetic, or of an integer from outside. */
export function databaseTime(value: Plain<bigint>): DatabaseTime {
  return value as bigint as DatabaseTime;
}

/** Like databaseTime(). */
export function milliseconds(value: Plain<number>): Milliseconds;
export function milliseconds(value: Plain<bigint>): Milliseconds<bigint>;
export function milliseconds(value: bigint | number): Milliseconds<bigint | number> {
  return value as Milliseconds<bigint | number>;
}

/** Like databaseTime(). */
export function nanoseconds(value: Plain<bigint>): Nanoseconds {
  return value as bigint as Nanoseconds;
}

/** The ends of all times that a database can store. */
export const kFirstTime = databaseTime(kI64Min);
export const kLastTime = databaseTime(kI64Max);

export const kNanosecondsPerSecond = 1_000_000_000n;

export const nanosecondsPerUnit: Readonly<Record<TimestampUnit, bigint>> = {
  s: kNanosecondsPerSecond,
  ms: 1_000_000n,
  us: 1000n,
  ns: 1n,
};

export function unitsPerSecond(unit: TimestampUnit): bigint {
  return kNanosecondsPerSecond / nanosecondsPerUnit[unit];
}

/** The unit with `count` ticks per second; null if there is none. */
export function unitOfSecond(count: bigint): TimestampUnit | null {
  return timestampUnits.find((unit) => unitsPerSecond(unit) === count) ?? null;
}

/** Converts a time to another unit, rounded down. */
export function convertTime(ts: bigint, from: TimestampUnit, to: TimestampUnit): bigint {
  return floorDivide(ts * nanosecondsPerUnit[from], nanosecondsPerUnit[to]);
}

/** Rounded down to the unit. REQUIRES: a number is whole. */
export function fromMilliseconds(
  ms: Milliseconds | Milliseconds<bigint>,
  unit: TimestampUnit,
): DatabaseTime {
  return convertTime(BigInt(ms), 'ms', unit) as DatabaseTime;
}

/** Rounded up to the unit: a limit that must not come early. */
export function upFromMilliseconds(
  ms: Milliseconds | Milliseconds<bigint>,
  unit: TimestampUnit,
): DatabaseTime {
  return -convertTime(-BigInt(ms), 'ms', unit) as DatabaseTime;
}

export function toNanoseconds(ms: Milliseconds | Milliseconds<bigint>): Nanoseconds {
  return (BigInt(ms) * nanosecondsPerUnit.ms) as Nanoseconds;
}

/** Rounded down to milliseconds. */
export function toMilliseconds(ts: DatabaseTime, unit: TimestampUnit): Milliseconds<bigint> {
  return convertTime(ts, unit, 'ms') as Milliseconds<bigint>;
}

/** Rounded down to the unit. */
export function fromNanoseconds(ns: Nanoseconds, unit: TimestampUnit): DatabaseTime {
  return convertTime(ns, 'ns', unit) as DatabaseTime;
}
