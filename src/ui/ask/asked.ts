/** The statements that were run, as this browser remembers them; no answer, and no INSERT. */

import { signal } from '@preact/signals';

import { readAsked, withAsked, type Asked } from './asked-list.js';

const kStored = 'seriesdb asked';

export const asked = signal<readonly Asked[]>(stored());

/** Another tab may have written meanwhile. */
export function remember(one: Asked): void {
  keep(withAsked(stored(), one));
}

export function toggleStar(text: string): void {
  const turned = (one: Asked): Asked => ({ ...one, isStarred: one.isStarred !== true });
  keep(stored().map((one) => (one.text === text ? turned(one) : one)));
}

export function forgetAsked(): void {
  keep(stored().filter((one) => one.isStarred === true));
}

function keep(list: readonly Asked[]): void {
  asked.value = list;
  try {
    localStorage.setItem(kStored, JSON.stringify(list));
  } catch {
    // A browser that keeps nothing: it holds until the tab is closed.
  }
}

function stored(): readonly Asked[] {
  try {
    return readAsked(localStorage.getItem(kStored) ?? '[]');
  } catch {
    return [];
  }
}
