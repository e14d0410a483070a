/** The window of a metric where the address has none: old data is no empty page. */

import { allTime, windowOf, type Now, type TimeWindow } from '../time-window.js';
import { perSecond, tsOfMs } from '../zone.js';

const kFitSeconds = 6n * 3_600n;
/** Who wrote so lately writes still. */
const kLateSeconds = 600n;

interface Known {
  readonly first_ts: bigint | null;
  readonly last_ts: bigint | null;
}

export function windowFor(text: string | null, known: Known, moment: Now): TimeWindow {
  const { unit, nowMs } = moment;
  const given = text === null || text === allTime ? null : windowOf(text, moment);
  if (given !== null) return given;
  const size = perSecond(unit);
  const now = tsOfMs(nowMs, unit);
  const last = known.last_ts ?? now;
  const first = known.first_ts ?? last - size;
  const whole = { start: first, end: last > first ? last : first + size, endsNow: false };
  if (text === allTime) return whole;
  const isLate = last <= now && now - last <= kLateSeconds * size;
  const end = isLate ? now : whole.end;
  const start = end - kFitSeconds * size;
  return { start: start > first ? start : first, end, endsNow: isLate };
}
