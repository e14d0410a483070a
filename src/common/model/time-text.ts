/** Times as users type them, in the database's unit. */

import { kDayMs, parseDurationMs } from './duration.js';
import { parseI64 } from './integers.js';
import { parseIso } from './iso-time.js';
import {
  databaseTime,
  fromMilliseconds,
  milliseconds,
  type DatabaseTime,
  type TimestampUnit,
} from './timestamp-unit.js';

/** The list for errors and help; it follows the name of the argument. */
export const timeForms = 'an integer, an ISO time, now, now-1h, today, yesterday or this-week';

/** An integer in the database's unit; null if the text is not a 64-bit integer. */
export function parseTs(text: string): DatabaseTime | null {
  const integer = parseI64(text);
  return integer === null ? null : databaseTime(integer);
}

/**
 * Parses an integer in the unit, `now`, `now-90m`, `today`, `yesterday`, `this-week` or an ISO
 * timestamp. Days mean their beginning. Days and timestamps are UTC, unless the text names a zone.
 * Null for anything else. Times are rounded down to the unit.
 */
export function parseTime(
  text: string,
  unit: TimestampUnit,
  nowMs = Date.now(),
): DatabaseTime | null {
  const integer = parseTs(text);
  if (integer !== null) return integer;
  const day = dayOf(text, Math.floor(nowMs / kDayMs));
  if (day !== null) return fromMilliseconds(milliseconds(day * kDayMs), unit);
  const relative = /^now(?: ?([+-]) ?(\w+))?$/.exec(text);
  if (relative === null) return parseIso(text, unit);
  const [, sign, duration] = relative;
  const offsetMs = duration === undefined ? 0 : parseDurationMs(duration);
  if (offsetMs === null) return null;
  const ms = sign === '-' ? nowMs - offsetMs : nowMs + offsetMs;
  return fromMilliseconds(milliseconds(ms), unit);
}

/** Days since 1970-01-01, which was a Thursday. Weeks begin on Mondays. */
function dayOf(text: string, today: number): number | null {
  const word = text.trim().toLowerCase().replace(/[ _]+/g, '-');
  if (word === 'today') return today;
  if (word === 'yesterday') return today - 1;
  return word === 'this-week' ? today - ((((today + 3) % 7) + 7) % 7) : null;
}
