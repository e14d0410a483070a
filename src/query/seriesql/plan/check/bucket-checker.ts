/** Checks `time_bucket(width, time [, origin or time zone])`. */

import { kDayMs } from '../../../../common/model/duration.js';
import {
  databaseTime,
  fromMilliseconds,
  milliseconds,
  toNanoseconds,
  type DatabaseTime,
} from '../../../../common/model/timestamp-unit.js';
import { isZone, kNoZone, zoneHint } from '../../../../common/model/zone.js';
import { durationOfInterval } from '../../language/foreign.js';
import { kI64Min } from '../../../values/value.js';

import { named, type ExpressionChecker, type ExprPlace } from './place.js';

import type { CallNode, Expression } from '../../language/ast.js';
import type { DurationLiteral } from '../../language/time-literal.js';
import type { TimeBucket, Expr } from '../plan.js';

/** Weeks start on Mondays, and 1970-01-01 was a Thursday. */
export const kFirstMonday = 4;
const kDayNanoseconds = toNanoseconds(milliseconds(kDayMs));

export function checkBucket(checker: ExpressionChecker, node: CallNode, place: ExprPlace): Expr {
  const [widthNode, timeNode, third] = node.args;
  if (widthNode === undefined || timeNode === undefined || node.args.length > 3) {
    const hint = 'write time_bucket(5m, time), with an origin or a time zone as third argument';
    throw checker.fail(node.span.start, 'time_bucket takes 2 or 3 arguments', hint);
  }
  const operand = checker.check(timeNode, place);
  if (!['timestamp', 'integer', 'null'].includes(operand.type)) {
    throw checker.fail(timeNode.span.start, `time_bucket needs a time, not ${named(operand.type)}`);
  }
  const zone = third?.kind === 'string' ? readZone(checker, third) : null;
  const bucket =
    widthNode.kind === 'duration' && (widthNode.value.grain === 'months' || zone !== null)
      ? calendarBucket(checker, widthNode, { zone, third })
      : fixedBucket(checker, widthNode, { place, zone, third });
  const lowest = bucket.kind === 'fixed' ? kI64Min + bucket.width : null;
  const isSafe = lowest !== null && place.startsFrom(lowest);
  return {
    kind: 'bucket',
    bucket,
    operand,
    type: 'timestamp',
    nullable: operand.nullable || !isSafe,
  };
}

export function readZone(
  checker: ExpressionChecker,
  node: Extract<Expression, { kind: 'string' }>,
): string {
  if (isZone(node.value)) return node.value;
  throw checker.fail(node.span.start, kNoZone, zoneHint(node.value, "'"));
}

interface CalendarParts {
  readonly zone: string | null;
  readonly third: Expression | undefined;
}

function calendarBucket(
  checker: ExpressionChecker,
  node: Extract<Expression, { kind: 'duration' }>,
  { zone, third }: CalendarParts,
): TimeBucket {
  const { start } = node.span;
  const { grain, months, nanoseconds }: DurationLiteral = node.value;
  if (third !== undefined && zone === null) {
    throw checker.fail(third.span.start, 'a calendar width takes a time zone and no origin');
  }
  if (months === 0 && nanoseconds === 0n) throw notPositive(checker, start);
  if (grain === 'months') return { kind: 'months', count: months, zone };
  const days = nanoseconds / kDayNanoseconds;
  if (zone === null || grain === 'time' || days * kDayNanoseconds !== nanoseconds) {
    const hint =
      zone === null ? undefined : 'hours are the same in every zone of whole hours: leave it out';
    throw checker.fail(start, 'a time zone goes with widths in d, w, mo and y', hint);
  }
  if (days > 1_000_000n) throw checker.fail(start, 'this width is too large');
  return { kind: 'days', count: Number(days), offset: grain === 'weeks' ? kFirstMonday : 0, zone };
}

interface FixedParts extends CalendarParts {
  readonly place: ExprPlace;
}

function fixedBucket(checker: ExpressionChecker, node: Expression, parts: FixedParts): TimeBucket {
  const { place, zone, third } = parts;
  if (zone !== null) {
    const hint = 'hours are the same in every zone of whole hours: leave it out';
    throw checker.fail(node.span.start, 'a time zone goes with widths in d, w, mo and y', hint);
  }
  const width = fixedInteger(checker, node, { place, what: 'the width of time_bucket' });
  if (width <= 0n) throw notPositive(checker, node.span.start);
  if (third !== undefined) {
    const origin = fixedInteger(checker, third, { place, what: 'the origin' });
    return { kind: 'fixed', width, origin };
  }
  const isWeeks = node.kind === 'duration' && node.value.grain === 'weeks';
  const monday = fromMilliseconds(milliseconds(kFirstMonday * kDayMs), checker.context.unit);
  return { kind: 'fixed', width, origin: isWeeks ? monday : databaseTime(0n) };
}

interface IntegerParts {
  readonly place: ExprPlace;
  /** The name of the argument in errors. */
  readonly what: string;
}

function fixedInteger(
  checker: ExpressionChecker,
  node: Expression,
  { place, what }: IntegerParts,
): DatabaseTime {
  const expr = checker.check(node, place);
  if (expr.kind === 'literal' && typeof expr.value === 'bigint') return databaseTime(expr.value);
  const meant = node.kind === 'string' ? durationOfInterval(node.value) : null;
  const hint = meant === null ? undefined : `write ${meant}, without quotes`;
  throw checker.fail(node.span.start, `${what} must be a fixed duration or integer`, hint);
}

function notPositive(checker: ExpressionChecker, offset: number): Error {
  return checker.fail(offset, 'the width of time_bucket must be above 0');
}
