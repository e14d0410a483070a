/** What is said to who does not see the page, and what is shown for a moment. */

import { signal } from '@preact/signals';

const kShownMs = 2_500;

export const said = signal('');
/** Empty: nothing is shown. */
export const shownBriefly = signal('');

let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(sentence: string): void {
  said.value = sentence;
}

/** Says it, and shows it for a moment: what a button did has no other sign. */
export function tell(sentence: string): void {
  announce(sentence);
  shownBriefly.value = sentence;
  clearTimeout(timer);
  timer = setTimeout(() => {
    shownBriefly.value = '';
  }, kShownMs);
}
