/** Times as people write them at a prompt, in the database's unit. */

import { parseDurationMs } from './duration.js';
import { parseI64 } from './integers.js';
import { parseIso } from './iso-time.js';
import { fromMilliseconds, type TimestampUnit } from './timestamp-unit.js';

/**
 * An integer in the unit, `now`, `now-90m`, or an ISO timestamp, which is UTC unless it names a
 * zone. Null for anything else. What the unit cannot hold is cut, towards the past.
 */
export function parseTime(text: string, unit: TimestampUnit, nowMs = Date.now()): bigint | null {
  const integer = parseI64(text);
  if (integer !== null) return integer;
  const relative = /^now(?:([+-])(\w+))?$/.exec(text);
  if (relative === null) return parseIso(text, unit);
  const [, sign, duration] = relative;
  const offsetMs = duration === undefined ? 0 : parseDurationMs(duration);
  if (offsetMs === null) return null;
  return fromMilliseconds(BigInt(sign === '-' ? nowMs - offsetMs : nowMs + offsetMs), unit);
}
