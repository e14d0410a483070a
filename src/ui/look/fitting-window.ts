/** The window of a metric without one in the address: old data must not give an empty page. */

import { allTime, windowOf, type ClockNow, type TimeWindow } from '../time-window.js';
import { perSecond, tsOfMs } from '../zone.js';

/** A metric with a sample this recent is still being written, in seconds. */
const kLateSeconds = 600n;

interface KnownTimes {
  readonly first_ts: bigint | null;
  readonly last_ts: bigint | null;
}

/** If `text` is null, the window fits the data: all of it, or the last `most` ticks. */
export function windowFor(
  text: string | null,
  known: KnownTimes,
  { most = null, ...moment }: ClockNow & { readonly most?: bigint | null },
): TimeWindow {
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
  const start = most === null ? first : end - most;
  return { start: start > first ? start : first, end, endsNow: isLate };
}
