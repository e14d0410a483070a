/**
 * The token of this tab. Memory and the tab's session storage hold it, and other tabs of this page
 * get it on request. It is never in an address, in a log, or in storage that outlives the tabs.
 */

import { signal } from '@preact/signals';

import { basePath } from './base.js';

/** Empty: no token. */
export const token = signal('');
/** True if the server refused a request without a token, or refused the token. */
export const isTokenWanted = signal(false);

const kStored = `seriesdb token of ${basePath}`;

type TokenMessage =
  { readonly kind: 'ask' } | { readonly kind: 'token' | 'forget'; readonly text: string };

const channel = new BroadcastChannel(kStored);

/** Restores the token of this tab after a reload, or requests it from another tab. */
export function findToken(): void {
  token.value = stored();
  channel.addEventListener('message', (event: MessageEvent<TokenMessage>) => {
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

function send(message: TokenMessage): void {
  channel.postMessage(message);
}

export function keepToken(text: string): void {
  try {
    sessionStorage.setItem(kStored, text);
  } catch {
    // Without storage the token lasts until the next reload.
  }
  token.value = text;
  isTokenWanted.value = false;
}

/** Forgets the token in all tabs. */
export function forgetToken(): void {
  send({ kind: 'forget', text: token.value });
  drop();
}

/** Drops the token after the server refused it. */
export function refuseToken(): void {
  drop();
  isTokenWanted.value = true;
}

function drop(): void {
  try {
    sessionStorage.removeItem(kStored);
  } catch {
    // Without storage there is nothing to remove.
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
