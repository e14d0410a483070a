/**
 * The token of this tab. It is held in memory and in the tab's own storage, which ends with the
 * tab, and given to other tabs of this page that ask; it never stands in an address, in a log, or
 * in what outlives the tabs.
 */

import { signal } from '@preact/signals';

import { basePath } from './base.js';

/** Empty: none. */
export const token = signal('');
/** The server refused to answer without one, or with the one that was shown. */
export const isTokenWanted = signal(false);

const kStored = `seriesdb token of ${basePath}`;

type Message =
  { readonly kind: 'ask' } | { readonly kind: 'token' | 'forget'; readonly text: string };

const channel = new BroadcastChannel(kStored);

/** Takes up what this tab had before it was loaded again, or what another tab has. */
export function findToken(): void {
  token.value = stored();
  channel.addEventListener('message', (event: MessageEvent<Message>) => {
    const message = event.data;
    if (message.kind === 'ask') {
      if (token.value !== '') send({ kind: 'token', text: token.value });
    } else if (message.kind === 'forget') {
      if (message.text === token.value) drop();
    } else if (token.value === '') {
      keepToken(message.text);
    }
  });
  if (token.value === '') send({ kind: 'ask' });
}

function send(message: Message): void {
  channel.postMessage(message);
}

export function keepToken(text: string): void {
  try {
    sessionStorage.setItem(kStored, text);
  } catch {
    // Only until the tab is loaded again.
  }
  token.value = text;
  isTokenWanted.value = false;
}

/** In all tabs. */
export function forgetToken(): void {
  send({ kind: 'forget', text: token.value });
  drop();
}

/** The server takes it no longer. */
export function refuseToken(): void {
  drop();
  isTokenWanted.value = true;
}

function drop(): void {
  try {
    sessionStorage.removeItem(kStored);
  } catch {
    // It was not there.
  }
  token.value = '';
}

function stored(): string {
  try {
    return sessionStorage.getItem(kStored) ?? '';
  } catch {
    return '';
  }
}
