/**
 * Sets of times as disjoint, ascending, closed intervals, and the times that a condition allows. A
 * null end is open.
 */

import {
  databaseTime,
  kFirstTime,
  kLastTime,
  type DatabaseTime,
} from '../../../common/model/timestamp-unit.js';
import { kI64Max, kI64Min } from '../../values/value.js';

import type { TimeRange } from '../../../common/model/time-range.js';
import type { Expr, Interval } from './plan.js';

export const allTimes: readonly Interval[] = [{ start: null, end: null }];

/** `isExact`: the condition is true at exactly these times, regardless of other columns. */
interface TimeSet {
  readonly intervals: readonly Interval[];
  readonly isExact: boolean;
}

const anything: TimeSet = { intervals: allTimes, isExact: false };

export const startOf = ({ start }: Interval): DatabaseTime => start ?? kFirstTime;
export const endOf = ({ end }: Interval): DatabaseTime => end ?? kLastTime;

/** A superset of the times at which a condition can be true. */
export function timesOf(expr: Expr): TimeSet {
  switch (expr.kind) {
    case 'literal':
      return expr.value === true
        ? { intervals: allTimes, isExact: true }
        : { intervals: [], isExact: expr.value !== null };
    case 'compare':
      return ofComparison(expr);
    case 'in':
      return ofList(expr);
    case 'not':
      return complement(timesOf(expr.operand));
    case 'logical': {
      const sets = expr.items.map(timesOf);
      const combine = expr.op === 'and' ? intersectAll : unionAll;
      const intervals = combine(sets.map((set) => set.intervals));
      return { intervals, isExact: sets.every(({ isExact }) => isExact) };
    }
    default:
      return anything;
  }
}

type CompareExpr = Extract<Expr, { kind: 'compare' }>;

const mirrored = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function ofComparison({ op, left, right }: CompareExpr): TimeSet {
  if (isTime(left) && right.kind === 'literal') return ofBound(op, right.value);
  if (isTime(right) && left.kind === 'literal') return ofBound(mirrored[op], left.value);
  return anything;
}

function isTime(expr: Expr): boolean {
  return expr.kind === 'column' && expr.column === 'time';
}

function ofBound(op: CompareExpr['op'], value: unknown): TimeSet {
  if (typeof value === 'bigint') return { intervals: bound(op, value), isExact: true };
  // A comparison with null gives null, and so does its `not`.
  if (typeof value !== 'number') return { intervals: [], isExact: false };
  return { intervals: floatBound(op, value), isExact: true };
}

function bound(op: CompareExpr['op'], value: bigint): readonly Interval[] {
  const time = databaseTime(value);
  const below: Interval = { start: null, end: before(time) };
  const above: Interval = { start: after(time), end: null };
  switch (op) {
    case '=':
      return [{ start: time, end: time }];
    case '!=':
      return [below, above].filter((one) => startOf(one) <= endOf(one) && isInside(one));
    case '<':
      return isInside(below) ? [below] : [];
    case '<=':
      return [{ start: null, end: time }];
    case '>':
      return isInside(above) ? [above] : [];
    case '>=':
      return [{ start: time, end: null }];
  }
}

const before = (time: DatabaseTime): DatabaseTime => databaseTime(time - 1n);
const after = (time: DatabaseTime): DatabaseTime => databaseTime(time + 1n);

function isInside({ start, end }: Interval): boolean {
  return (start ?? 0n) <= kI64Max && (end ?? 0n) >= kI64Min;
}

/** Times are whole numbers, so a bound between two of them moves to the next one inside. */
function floatBound(op: CompareExpr['op'], value: number): readonly Interval[] {
  const isWhole = Number.isInteger(value);
  if (op === '=' || op === '!=') {
    if (!isWhole || !fits(value)) return op === '=' ? [] : allTimes;
    return bound(op, BigInt(value));
  }
  const isLower = op === '>' || op === '>=';
  if (!fits(value)) return value > 0 === isLower ? [] : allTimes;
  if (isWhole) return bound(op, BigInt(value));
  return isLower ? bound('>=', BigInt(Math.ceil(value))) : bound('<=', BigInt(Math.floor(value)));
}

function fits(value: number): boolean {
  return value >= -(2 ** 63) && value < 2 ** 63;
}

function ofList(expr: Extract<Expr, { kind: 'in' }>): TimeSet {
  const values = expr.items.map((item) => (item.kind === 'literal' ? item.value : undefined));
  if (!isTime(expr.operand) || values.includes(undefined)) return anything;
  if (values.includes(null)) return expr.negated ? { intervals: [], isExact: false } : anything;
  const sets = values.map((value) => ofBound('=', value).intervals);
  const listed = { intervals: unionAll(sets), isExact: true };
  return expr.negated ? complement(listed) : listed;
}

function complement({ intervals, isExact }: TimeSet): TimeSet {
  return isExact ? { intervals: gapsOf(intervals), isExact } : anything;
}

/** All other times. */
function gapsOf(intervals: readonly Interval[]): readonly Interval[] {
  const gaps: Interval[] = [];
  let start: DatabaseTime | null = null;
  for (const one of intervals) {
    if (one.start !== null && one.start > kI64Min) gaps.push({ start, end: before(one.start) });
    if (one.end === null || one.end >= kI64Max) return gaps;
    start = after(one.end);
  }
  gaps.push({ start, end: null });
  return gaps;
}

/** Without sets, all times. Costs n log n for n intervals. */
export function intersectAll(sets: readonly (readonly Interval[])[]): readonly Interval[] {
  // A long statement leaves many times out one by one: `time != … and time != …`.
  const holed = sets.filter(isHoled);
  if (holed.length < 2) return intersectHalves(sets);
  const unholed = sets.filter((set) => !isHoled(set));
  return intersectHalves([...unholed, gapsOf(unionAll(holed.map(gapsOf)))]);
}

/** All times but some between the first and the last. */
function isHoled(set: readonly Interval[]): boolean {
  return set.length > 1 && set[0]?.start === null && set.at(-1)?.end === null;
}

function intersectHalves(sets: readonly (readonly Interval[])[]): readonly Interval[] {
  const [first = allTimes] = sets;
  if (sets.length < 2) return first;
  const middle = sets.length >> 1;
  return intersect(intersectHalves(sets.slice(0, middle)), intersectHalves(sets.slice(middle)));
}

function intersect(left: readonly Interval[], right: readonly Interval[]): readonly Interval[] {
  const both: Interval[] = [];
  let a = 0;
  let b = 0;
  for (;;) {
    const [one, other] = [left[a], right[b]];
    if (one === undefined || other === undefined) return both;
    const start = laterStart(one, other);
    const end = endOf(one) <= endOf(other) ? (one.end ?? other.end) : (other.end ?? one.end);
    if ((start ?? kI64Min) <= (end ?? kI64Max)) both.push({ start, end });
    if (endOf(one) <= endOf(other)) a += 1;
    else b += 1;
  }
}

function laterStart(one: Interval, other: Interval): DatabaseTime | null {
  return startOf(one) >= startOf(other) ? (one.start ?? other.start) : (other.start ?? one.start);
}

/** Sorts once, so that a long list costs n log n. */
function unionAll(sets: readonly (readonly Interval[])[]): readonly Interval[] {
  const sorted = sets.flat().sort((one, other) => {
    const [a, b] = [startOf(one), startOf(other)];
    if (a === b) return one.start === null ? -1 : other.start === null ? 1 : 0;
    return a < b ? -1 : 1;
  });
  const merged: Interval[] = [];
  for (const one of sorted) {
    const last = merged.at(-1);
    if (last === undefined || (last.end !== null && startOf(one) > last.end + 1n)) {
      merged.push(one);
    } else if (last.end !== null && (one.end === null || one.end > last.end)) {
      merged[merged.length - 1] = { start: last.start, end: one.end };
    }
  }
  return merged;
}

/** True if time is bounded on at least one side. The empty set counts as bounded. */
export function isBounded(intervals: readonly Interval[]): boolean {
  const [first] = intervals;
  const last = intervals.at(-1);
  if (first === undefined || last === undefined) return true;
  return first.start !== null || last.end !== null;
}

/** The first start and the last end; null if one is open or there are no intervals. */
export function hullOf(intervals: readonly Interval[]): TimeRange | null {
  const start = intervals[0]?.start ?? null;
  const end = intervals.at(-1)?.end ?? null;
  return start === null || end === null ? null : { start, end };
}

/** True unless the intervals are all times, which means no condition on time. */
export function asksForSamples(intervals: readonly Interval[]): boolean {
  return intervals.length !== 1 || isBounded(intervals);
}
