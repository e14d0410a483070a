/** Announcements for screen readers, and short notices on the page. */

import { signal } from '@preact/signals';

const kShownMs = 2_500;

export const said = signal('');
/** The notice on the page; empty: none. */
export const shownBriefly = signal('');
/** The address that the notice links to; empty: no link. */
export const briefAddress = signal('');
/** Time to read a sentence and to follow its link. */
const kLinkShownMs = 8_000;

let timer: ReturnType<typeof setTimeout> | undefined;

export function announce(sentence: string): void {
  said.value = sentence;
}

/** Announces a sentence and shows it briefly, for buttons whose effect is not visible otherwise. */
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
