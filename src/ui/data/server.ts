/** The server as pages ask it: one client with the token, and whether anybody answers at all. */

import { computed, signal } from '@preact/signals';

import { SeriesDbClient, SeriesDbError, clientCodes } from '../../client/client.js';

import { sentenceOf } from './fault.js';
import { baseUrl } from './base.js';
import { keepToken, refuseToken, token } from './token.js';

import type { Status } from '../../client/client.js';

/** Failed requests are told to the person who asked, and so not tried again in secret. */
function clientWith(secret: string): SeriesDbClient {
  const shown = secret === '' ? {} : { token: secret };
  return new SeriesDbClient({ url: baseUrl, retry: { retries: 0 }, fetch: askFresh, ...shown });
}

/** Cookies are none of ours, and no answer is kept by the browser. */
function askFresh(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, credentials: 'omit', cache: 'no-store' });
}

const client = computed(() => clientWith(token.value));

/** When the server was found not to answer; null while it does. */
export const lostAtMs = signal<number | null>(null);
/** Counts up whenever it answers again: what was asked before is asked anew. */
export const returns = signal(0);
/** What the server last said of itself. */
export const status = signal<Status | null>(null);

const waitsMs = [1_000, 2_000, 5_000, 10_000];

/** Asks with the token that there is; a refusal of it, or silence, is told to all of the page. */
export async function ask<T>(question: (client: SeriesDbClient) => Promise<T>): Promise<T> {
  const shown = token.value;
  try {
    return await question(client.value);
  } catch (error) {
    // Another token may have come meanwhile.
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
      // Whatever else it says, it answers.
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

/** Null: it is good, and kept. Else why it is not. */
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
