/** The shared view state of all pages: clock, time range and refresh interval. */

import { computed } from '@preact/signals';

import { status } from './data/server.js';
import { place } from './location.js';
import { zone } from './preferences.js';
import { dayWordOf } from './time-window.js';
import { livePaces, valueIn } from './url.js';

import { printTime, tsOfMs, type PageClock } from './zone.js';

/** Milliseconds until the server has reported its unit. */
export const clock = computed<PageClock>(() => ({
  unit: status.value?.timestamp_unit ?? 'ms',
  zone: zone.value,
}));

/** The time range in the address; null: fits the page. */
export const windowText = computed(() => {
  const text = valueIn(place.value, 't');
  return text === null ? null : (dayWordOf(text) ?? text);
});

/** The refresh interval in milliseconds; null: no refresh. */
export const paceMs = computed(() => {
  const pace = valueIn(place.value, 'live');
  return pace === null ? null : (livePaces[pace] ?? null);
});

/** A time of this machine's clock, in the zone of the page. */
export function epochText(ms: number): string {
  return printTime(tsOfMs(Math.floor(ms / 1000) * 1000, 'ms'), { unit: 'ms', zone: zone.value });
}
