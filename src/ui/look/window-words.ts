/** Time windows in words. */

import { perSecond, printTime, type PageClock } from '../zone.js';

import type { TimeStretch } from '../chart/time-scale.js';

/** Longer windows omit seconds and their fractions. */
const kMinutesSeconds = 3_600;
const kSecondsSeconds = 60;

/**
 * `2026-11-21 10:00–16:00 +01:00`; short windows have more digits. If the UTC offset changes
 * between the ends, both offsets are shown.
 */
export function windowWords({ start, end }: TimeStretch, clock: PageClock): string {
  const [startDay = '', from = '', before = ''] = printTime(start, clock).split(' ');
  const [endDay = '', to = '', offset = ''] = printTime(end, clock).split(' ');
  const seconds = Number(end - start) / Number(perSecond(clock.unit));
  const isWhole = from.endsWith(':00') && to.endsWith(':00');
  const digits = isWhole || seconds > kMinutesSeconds ? 5 : seconds > kSecondsSeconds ? 8 : 18;
  const [first, last] = [from.slice(0, digits), to.slice(0, digits)];
  const day = startDay === endDay ? '' : `${endDay} `;
  const changed = before === offset ? '' : ` ${before} `;
  return `${startDay} ${first}${changed}–${changed === '' ? '' : ' '}${day}${last} ${offset}`;
}
