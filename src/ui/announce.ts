/** What is said to who does not see the page: one voice for all of it. */

import { signal } from '@preact/signals';

export const said = signal('');

export function announce(sentence: string): void {
  said.value = sentence;
}
