/** Times as users type them, in the database's unit. */

import { kDayMs, parseDurationMs } from './duration.js';
import { parseI64 } from './integers.js';
import { parseIso } from './iso-time.js';
import { fromMilliseconds, type TimestampUnit } from './timestamp-unit.js';

/** The list for errors and help; it follows the name of the argument. */
export const timeForms = 'an integer, an ISO time, now, now-1h, today, yesterday or this-week';

/**
 * Parses an integer in the unit, `now`, `now-90m`, `today`, `yesterday`, `this-week` or an ISO
 * timestamp. Days mean their beginning. Days and timestamps are UTC, unless the text names a zone.
 * Null for anything else. Times are rounded down to the unit.
 */
export function parseTime(text: string, unit: TimestampUnit, nowMs = Date.now()): bigint | null {
  const integer = parseI64(text);
  if (integer !== null) return integer;
  const day = dayOf(text, Math.floor(nowMs / kDayMs));
  if (day !== null) return fromMilliseconds(BigInt(day * kDayMs), unit);
  const relative = /^now(?: ?([+-]) ?(\w+))?$/.exec(text);
  if (relative === null) return parseIso(text, unit);
  const [, sign, duration] = relative;
  const offsetMs = duration === undefined ? 0 : parseDurationMs(duration);
  if (offsetMs === null) return null;
  return fromMilliseconds(BigInt(sign === '-' ? nowMs - offsetMs : nowMs + offsetMs), unit);
}

/** Days since 1970-01-01, which was a Thursday. Weeks begin on Mondays. */
function dayOf(text: string, today: number): number | null {
  const word = text.trim().toLowerCase().replace(/[ _]+/g, '-');
  if (word === 'today') return today;
  if (word === 'yesterday') return today - 1;
  return word === 'this-week' ? today - ((((today + 3) % 7) + 7) % 7) : null;
}
