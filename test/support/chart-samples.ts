/** Samples for charts: many of one series, many series. */

import type { Server } from './server.js';

const kSecondMs = 1_000;
const kBatch = 200_000;

interface Asked {
  readonly metric: string;
  readonly startMs: number;
  /** Samples, one a second. */
  readonly count: number;
  /** The place of the outlier. */
  readonly outlier: number;
}

export const kOutlierValue = 480;

export async function write(server: Server, body: string): Promise<void> {
  const response = await fetch(`${server.url}/api/v1/ingest`, { method: 'POST', body });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(answer);
}

/** One series between 50 and 66, except for one sample. */
export async function writeLong(server: Server, { metric, startMs, ...asked }: Asked) {
  const { count, outlier } = asked;
  for (let from = 0; from < count; from += kBatch) {
    const lines = Array.from({ length: Math.min(kBatch, count - from) }, (_, at) => {
      const value = from + at === outlier ? kOutlierValue : 50 + ((from + at) % 17);
      return `{"metric":"${metric}","ts":${startMs + (from + at) * kSecondMs},"value":${value}}`;
    });
    await write(server, lines.join('\n'));
  }
}
