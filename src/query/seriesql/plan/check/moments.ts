/** Calendar times: `today()` and similar functions, and `now() - 1y`. */

import { daysFromCivil, monthOfDay } from '../../../../common/model/calendar.js';
import { kDayMs, kSecondMs } from '../../../../common/model/duration.js';
import { floorDivide } from '../../../../common/model/integers.js';
import { unitsPerSecond } from '../../../../common/model/timestamp-unit.js';
import { checkedInteger } from '../../../values/value.js';
import { bucketStart } from '../bucket.js';

import { kFirstMonday, readZone } from './bucket-checker.js';
import { literal } from './expr.js';

import type { CallNode } from '../../language/ast.js';
import type { TimestampUnit } from '../../../../common/model/timestamp-unit.js';
import type { TimeBucket, Expr } from '../plan.js';
import type { OpNode } from './arithmetic-row.js';
import type { ExpressionChecker } from './place.js';

/** `days`: the length of the unit; `isBefore`: true for the previous one. */
const dayWords: Readonly<Record<string, { readonly days: number; readonly isBefore: boolean }>> = {
  today: { days: 1, isBefore: false },
  yesterday: { days: 1, isBefore: true },
  this_week: { days: 7, isBefore: false },
};

export function isDayName(name: string): boolean {
  return Object.hasOwn(dayWords, name);
}

/**
 * `today()`, `yesterday('Europe/Berlin')`: the first instant of that day. Default: the statement's
 * zone.
 */
export function checkDay(checker: ExpressionChecker, node: CallNode): Expr {
  const [zoneNode, more] = node.args;
  const name = node.name.toLowerCase();
  if (more !== undefined || (zoneNode !== undefined && zoneNode.kind !== 'string')) {
    const hint = `write ${name}() or ${name}('Europe/Berlin')`;
    throw checker.fail(node.span.start, `${node.name} takes no argument or a time zone`, hint);
  }
  const { days = 1, isBefore = false } = dayWords[name] ?? {};
  const { now, unit, source } = checker.context;
  const zone = zoneNode === undefined ? source.zone : readZone(checker, zoneNode);
  const bucket: TimeBucket = {
    kind: 'days',
    count: days,
    offset: days === 7 ? kFirstMonday : 0,
    zone,
  };
  const start = bucketStart(bucket, now, unit);
  const before = isBefore && start !== null ? bucketStart(bucket, start - 1n, unit) : start;
  return literal(before, 'timestamp');
}

/** A constant time plus or minus months or years, such as `now() - 1y`; null for other forms. */
export function movedTime(node: OpNode, left: Expr, unit: TimestampUnit): Expr | null {
  const { op, right } = node;
  if (right.kind !== 'duration' || right.value.grain !== 'months') return null;
  if (left.kind !== 'literal' || left.type !== 'timestamp' || !'+-'.includes(op)) return null;
  const { months } = right.value;
  if (typeof left.value !== 'bigint') return left;
  return literal(movedByMonths(left.value, op === '-' ? -months : months, unit), 'timestamp');
}

const kDaySeconds = BigInt(kDayMs / kSecondMs);

/**
 * Moves a time by months, in UTC, to the same time on the same day of the month. If that month is
 * shorter, its last day counts. Null beyond 64 bits.
 */
function movedByMonths(time: bigint, months: number, unit: TimestampUnit): bigint | null {
  const perDay = unitsPerSecond(unit) * kDaySeconds;
  const days = floorDivide(time, perDay);
  const { year, month } = monthOfDay(Number(days));
  const day = Number(days) - daysFromCivil(year, month, 1);
  const index = year * 12 + month - 1 + months;
  const [first = 0, next = 0] = [index, index + 1].map((at) =>
    daysFromCivil(Math.floor(at / 12), at - Math.floor(at / 12) * 12 + 1, 1),
  );
  const moved = BigInt(Math.min(first + day, next - 1));
  return checkedInteger(time + (moved - days) * perDay);
}
