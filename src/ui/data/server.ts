/** Access to the server: a client with the token, and whether the server answers. */

import { computed, signal } from '@preact/signals';

import { SeriesDbClient, SeriesDbError, clientCodes } from '../../client/client.js';

import { sentenceOf } from './fault.js';
import { baseUrl } from './base.js';
import { keepToken, refuseToken, token } from './token.js';

import type { Status } from '../../client/client.js';

/** No retries: the page reports failed requests to the user instead. */
function clientWith(secret: string): SeriesDbClient {
  const shown = secret === '' ? {} : { token: secret };
  return new SeriesDbClient({ url: baseUrl, retry: { retries: 0 }, fetch: askFresh, ...shown });
}

/** Sends no cookies, and bypasses the browser's cache. */
function askFresh(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, credentials: 'omit', cache: 'no-store' });
}

const client = computed(() => clientWith(token.value));

/** The time at which the server stopped answering; null while it answers. */
export const lostAtMs = signal<number | null>(null);
/** Increases whenever the server answers again; pages then repeat their requests. */
export const returns = signal(0);
/** The last status of the server. */
export const status = signal<Status | null>(null);

const waitsMs = [1_000, 2_000, 5_000, 10_000];

/**
 * Sends a request with the current token. Reports a refused token or a silent server to the page.
 */
export async function ask<T>(question: (client: SeriesDbClient) => Promise<T>): Promise<T> {
  const shown = token.value;
  try {
    return await question(client.value);
  } catch (error) {
    // The token may have changed during the request.
    if (isOf(error, 401) && shown === token.value) refuseToken();
    if (error instanceof SeriesDbError && error.code === clientCodes.network) lose();
    throw error;
  }
}

function isOf(error: unknown, wanted: number): boolean {
  return error instanceof SeriesDbError && error.status === wanted;
}

function lose(): void {
  if (lostAtMs.value !== null) return;
  lostAtMs.value = Date.now();
  void tryUntilBack();
}

async function tryUntilBack(): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const waitMs = waitsMs[Math.min(attempt, waitsMs.length - 1)] ?? 0;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    try {
      status.value = await client.value.status();
      break;
    } catch (error) {
      // Any answer, even an error, shows that the server is back.
      if (error instanceof SeriesDbError && error.status > 0) break;
    }
  }
  lostAtMs.value = null;
  returns.value += 1;
}

export async function askStatus(signal?: AbortSignal): Promise<Status> {
  const found = await ask((one) => one.status(signal === undefined ? {} : { signal }));
  status.value = found;
  return found;
}

/** Null: the token is valid, and stored. Otherwise the reason. */
export async function tryToken(text: string): Promise<string | null> {
  try {
    await clientWith(text).findMetrics({ limit: 1 });
  } catch (error) {
    if (isOf(error, 401)) return 'The server does not accept this token.';
    return sentenceOf(error);
  }
  keepToken(text);
  return null;
}
