/** What is said to who does not see the page, and what is shown for a moment. */

import { signal } from '@preact/signals';

const kShownMs = 2_500;

export const said = signal('');
/** Empty: nothing is shown. */
export const shownBriefly = signal('');
/** Where what is shown leads; empty: nowhere. */
export const briefAddress = signal('');
/** Time to read a sentence and to follow it. */
const kLinkShownMs = 8_000;

let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(sentence: string): void {
  said.value = sentence;
}

/** Says it, and shows it for a moment: what a button did has no other sign. */
export function tell(sentence: string, address = ''): void {
  announce(sentence);
  shownBriefly.value = sentence;
  briefAddress.value = address;
  clearTimeout(timer);
  timer = setTimeout(
    () => {
      shownBriefly.value = '';
    },
    address === '' ? kShownMs : kLinkShownMs,
  );
}
