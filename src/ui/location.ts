/** The address of this tab, and its changes. */

import { computed, signal } from '@preact/signals';

import { changed, printPlace, readPlace, type Key, type PagePlace } from './url.js';

export const place = signal<PagePlace>(readPlace(location.hash));

/** The path of the shown page. */
export const pagePath = computed(() => place.value.page);

/** A choice of the user: Back undoes it. */
export function go(next: PagePlace): void {
  move(next, 'pushState');
}

/** Replaces the address without a history entry: Back skips it. */
export function settle(next: PagePlace): void {
  move(next, 'replaceState');
}

/** A choice within the page. */
export function choose(changes: Readonly<Partial<Record<Key, string | null>>>): void {
  go(changed(place.value, changes));
}

function move(next: PagePlace, how: 'pushState' | 'replaceState'): void {
  const fragment = printPlace(next);
  if (fragment !== printPlace(place.value)) history[how](null, '', fragment);
  place.value = next;
}

/** Follows links, Back and typed addresses. */
export function followAddress(): void {
  addEventListener('popstate', () => {
    place.value = readPlace(location.hash);
  });
}
