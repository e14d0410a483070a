/** The statements run in each language, stored in this browser; no answers, and no INSERT. */

import { signal, type ReadonlySignal } from '@preact/signals';

import { readAsked, withAsked, type AskedText } from './asked-list.js';

export interface AskHistory {
  readonly asked: ReadonlySignal<readonly AskedText[]>;
  readonly remember: (one: AskedText) => void;
  readonly toggleStar: (text: string) => void;
  /** Removes every entry without a star. */
  readonly forget: () => void;
}

export const seriesqlHistory = historyAt('seriesdb asked');
export const promqlHistory = historyAt('seriesdb asked promql');

function historyAt(key: string): AskHistory {
  const asked = signal(stored(key));
  const keep = (list: readonly AskedText[]): void => {
    asked.value = list;
    try {
      localStorage.setItem(key, JSON.stringify(list));
    } catch {
      // If the browser stores nothing, the history lasts until the tab is closed.
    }
  };
  // Another tab may have written meanwhile, so each change starts from the stored list.
  return {
    asked,
    remember: (one) => {
      keep(withAsked(stored(key), one));
    },
    toggleStar: (text) => {
      const turned = (one: AskedText): AskedText => ({ ...one, isStarred: one.isStarred !== true });
      keep(stored(key).map((one) => (one.text === text ? turned(one) : one)));
    },
    forget: () => {
      keep(stored(key).filter((one) => one.isStarred === true));
    },
  };
}

function stored(key: string): readonly AskedText[] {
  try {
    return readAsked(localStorage.getItem(key) ?? '[]');
  } catch {
    return [];
  }
}
