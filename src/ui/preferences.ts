/** What this browser remembers of its user: nothing of the database, and no token. */

import { computed, effect, signal, type Signal } from '@preact/signals';

import { isZone } from './zone.js';

export const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** As it was chosen; empty: the browser's. */
export const chosenZone = remembered('zone', (text) => (isZone(text) ? text : ''));
export const zone = computed(() => (chosenZone.value === '' ? browserZone : chosenZone.value));

export const theme = remembered<Theme>(
  'theme',
  (text) => themes.find((one) => one === text) ?? 'system',
);

/** Whether single letters act anywhere on the page. */
export const hasShortcuts = remembered('shortcuts', (text) => (text === 'off' ? 'off' : 'on'));

/** What `read` makes of what was kept the last time, or of an empty text. */
function remembered<T extends string>(key: string, read: (text: string) => T): Signal<T> {
  const kept = `seriesdb ${key}`;
  const value = signal(read(stored(kept)));
  effect(() => {
    try {
      localStorage.setItem(kept, value.value);
    } catch {
      // A browser that keeps nothing: it holds until the tab is closed.
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

/** The theme stands at the root, where style sheets look for it: `light` or `dark`. */
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
