/** The shortcuts of the page Ask, active anywhere on it. */

import { useEffect } from 'preact/hooks';

import { cancelRun, running } from './run.js';

/** Ctrl+Enter runs the statement, Esc cancels it. */
export function useRunKeys(start: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
      if (isRun) start();
      else if (event.key === 'Escape' && running.value !== null) cancelRun();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => {
      document.removeEventListener('keydown', press);
    };
  });
}
