/** The sentence for a window without samples. */

import { printSeconds } from '../units.js';
import { clock } from '../view.js';
import { perSecond } from '../zone.js';

import type { TimeStretch } from '../chart/time-scale.js';

/** `lastTs`: the last sample of the chart's series, at any time. */
export function noSamplesText({ start, end }: TimeStretch, lastTs: bigint): string {
  const isOlder = lastTs < start;
  const away = isOlder ? start - lastTs : lastTs - end;
  const seconds = Number(away < 0n ? 0n : away) / Number(perSecond(clock.value.unit));
  const distance = printSeconds(Math.round(seconds));
  return `No samples in this time range; the last one is ${distance} ${isOlder ? 'older' : 'later'}.`;
}
