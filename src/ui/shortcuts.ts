/** Shortcuts that work anywhere unless the user is typing: `/`, `?`, and `g` with a letter. */

import { isForOthers } from './keys.js';
import { go, place } from './location.js';
import { pageRows } from './pages/page-table.js';
import { hasShortcuts } from './preferences.js';
import { placeOfPage } from './url.js';

/** The longest pause between `g` and its letter. */
const kPairMs = 1_500;

/** Returns a function that removes the listener. */
export function listenForKeys(openHelp: () => void): () => void {
  let pressedAtMs = -Infinity;
  const press = (event: KeyboardEvent): void => {
    if (hasShortcuts.value === 'off' || isForOthers(event)) return;
    const isSecond = performance.now() - pressedAtMs < kPairMs;
    pressedAtMs = event.key === 'g' ? performance.now() : -Infinity;
    if (isSecond && openPage(event.key)) return;
    if (event.key === '?') openHelp();
    else if (event.key !== '/' || !focusSearch()) return;
    event.preventDefault();
  };
  document.addEventListener('keydown', press);
  return () => {
    document.removeEventListener('keydown', press);
  };
}

function openPage(letter: string): boolean {
  const row = pageRows.find((one) => one.letter === letter);
  if (row === undefined) return false;
  go(placeOfPage(row.path, place.value));
  return true;
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  field?.focus();
  field?.select();
  return field !== null;
}
