/** The address of this tab, and who changes it. */

import { computed, signal } from '@preact/signals';

import { changed, printPlace, readPlace, type Key, type Place } from './url.js';

export const place = signal<Place>(readPlace(location.hash));

/** The page that is shown. */
export const pagePath = computed(() => place.value.page);

/** A choice of a person: Back undoes it. */
export function go(next: Place): void {
  move(next, 'pushState');
}

/** What was only looked at or is still being typed: Back goes past it. */
export function settle(next: Place): void {
  move(next, 'replaceState');
}

/** A choice within the page. */
export function choose(changes: Readonly<Partial<Record<Key, string | null>>>): void {
  go(changed(place.value, changes));
}

function move(next: Place, how: 'pushState' | 'replaceState'): void {
  const fragment = printPlace(next);
  if (fragment !== printPlace(place.value)) history[how](null, '', fragment);
  place.value = next;
}

/** Links, Back and what is written into the address bar. */
export function followAddress(): void {
  addEventListener('popstate', () => {
    place.value = readPlace(location.hash);
  });
}
