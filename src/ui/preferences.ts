/** Preferences stored in this browser: no data of the database, and no token. */

import { computed, effect, signal, type Signal } from '@preact/signals';

import { isZone } from './zone.js';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The chosen zone; empty: the browser's. */
export const chosenZone = remembered('zone', (text) => (isZone(text) ? text : ''));
export const zone = computed(() => (chosenZone.value === '' ? browserZone : chosenZone.value));

export const theme = remembered<Theme>(
  'theme',
  (text) => themes.find((one) => one === text) ?? 'system',
);

/** Whether single-letter shortcuts are on. */
export const hasShortcuts = remembered('shortcuts', (text) => (text === 'off' ? 'off' : 'on'));

/** A signal backed by local storage. `read` validates the stored text, which may be empty. */
function remembered<T extends string>(key: string, read: (text: string) => T): Signal<T> {
  const kept = `seriesdb ${key}`;
  const value = signal(read(stored(kept)));
  effect(() => {
    try {
      localStorage.setItem(kept, value.value);
    } catch {
      // If the browser stores nothing, the value lasts until the tab is closed.
    }
  });
  return value;
}

function stored(key: string): string {
  try {
    return localStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}

/** Sets the theme, `light` or `dark`, on the root element, where style sheets read it. */
export function applyTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isSystemDark = signal(system.matches);
  system.addEventListener('change', () => {
    isSystemDark.value = system.matches;
  });
  effect(() => {
    const ofSystem = isSystemDark.value ? 'dark' : 'light';
    document.documentElement.dataset['theme'] = theme.value === 'system' ? ofSystem : theme.value;
  });
}
