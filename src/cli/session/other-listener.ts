/** Detects a request that was sent to the wrong one of a server's two listeners. */

import { SeriesDbError } from '../../client/client.js';
import { Connection } from '../../client/connection.js';

import type { AskedListener } from './failure.js';

const kProbeMs = 2000;

/** A path that only this listener has, and the statuses of its answer to unauthorized requests. */
const marks = {
  public: { path: '/healthz', refusals: [] },
  admin: { path: '/__admin/status', refusals: [401, 403] },
} as const;

const settings = { public: 'listen', admin: 'admin.listen' } as const;

/** A sentence; null if the error has another cause. */
export async function otherListener(
  error: SeriesDbError,
  asked: AskedListener,
): Promise<string | null> {
  const { url, listener } = asked;
  if (error.code !== 'not_found' || error.status !== 404) return null;
  const other = listener === 'public' ? 'admin' : 'public';
  if (!(await isListener(other, asked))) return null;
  const place = `the ${listener} listener, at an address of its own (setting ${settings[listener]})`;
  const instead = listener === 'admin' ? '; on its machine, name the data directory instead' : '';
  return `${url} is the ${other} listener of a server; this command needs ${place}${instead}`;
}

async function isListener(
  listener: AskedListener['listener'],
  { url, fetch }: AskedListener,
): Promise<boolean> {
  const { path, refusals } = marks[listener];
  const trust = fetch === undefined ? {} : { fetch };
  const connection = new Connection({ url, ...trust, retry: { retries: 0 } });
  const signal = AbortSignal.timeout(kProbeMs);
  try {
    await connection.text({ method: 'GET', path, isRepeatable: false, signal });
    return true;
  } catch (error) {
    const status = error instanceof SeriesDbError ? error.status : 0;
    return refusals.some((one) => one === status);
  }
}
