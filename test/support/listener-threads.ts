/** Servers with several listener threads. */
import { setTimeout as sleep } from 'node:timers/promises';

import { assert } from 'chai';

import { ask, type Asked } from './admin-server.js';

type Asking = (target: string) => Promise<Asked>;

/** The number of answers of each thread, from the metrics. */
async function answered(asking: Asking): Promise<readonly number[]> {
  const { body } = await asking('/metrics');
  const rows = body.matchAll(/^seriesdb_listener_requests_total\{thread="\d+"\} (\d+)$/gm);
  return [...rows].map(([, count]) => Number(count));
}

/** The flags of a server with `count` listener threads. */
export const listenerFlags = (count: number, transport = 'node'): readonly string[] => [
  ...['--listeners', String(count)],
  ...['--transport', transport],
];

/** Resolves when every thread has answered a request; each attempt has its own connection. */
export async function allThreadsServe(asking: Asking, count: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (let round = 0; ; round += 1) {
    const counts = await answered(asking);
    if (counts.length === count && counts.every((one) => one > 0)) return;
    assert.isBelow(performance.now(), deadline, 'not all threads serve');
    // Asks once or twice: threads take connections in turn, so requests in step with them would all
    // reach the same one.
    await asking('/healthz');
    if (round % 2 === 0) await asking('/healthz');
    await sleep(5);
  }
}

/** For a server without TLS. */
export const askingOf =
  (port: number): Asking =>
  (target) =>
    ask(port, target);
