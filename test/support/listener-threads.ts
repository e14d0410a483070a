/** Servers with several threads that serve connections. */
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask, type Asked } from './admin-server.js';

type Asking = (target: string) => Promise<Asked>;

/** What each thread answered, as the metrics tell it. */
async function answered(asking: Asking): Promise<readonly number[]> {
  const { body } = await asking('/metrics');
  const rows = body.matchAll(/^seriesdb_listener_requests_total\{thread="\d+"\} (\d+)$/gm);
  return [...rows].map(([, count]) => Number(count));
}

/** The flags of a server that has so many. */
export const listenerFlags = (count: number, transport = 'node'): readonly string[] => [
  ...['--listeners', String(count)],
  ...['--transport', transport],
];

/** Resolves when all of them have answered something; a connection for each look is its own. */
export async function allThreadsServe(asking: Asking, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (let round = 0; ; round += 1) {
    const counts = await answered(asking);
    if (counts.length === count && counts.every((one) => one > 0)) return;
    assert.isBelow(performance.now(), deadline, 'not all threads serve');
    // Once or twice, since each thread is next at each turn: what is asked in step with them would
    // come to the same one.
    await asking('/healthz');
    if (round % 2 === 0) await asking('/healthz');
    await sleep(5);
  }
}

/** Of a server without TLS. */
export const askingOf =
  (port: number): Asking =>
  (target) =>
    ask(port, target);
