/** What one thread of the server measured of itself, and the sum of all. */

import { Latency, type LatencyFigures } from '../telemetry/latency.js';
import { RequestMetrics, type RequestFigures } from '../telemetry/request-metrics.js';

/** As another thread can be sent it. */
export interface ThreadFigures {
  readonly requests: RequestFigures;
  readonly eventLoopDelay: LatencyFigures;
  /** Under the specification's names. */
  readonly queries: Readonly<Record<string, number>>;
  /** Queries that select by `series` and `tags`. */
  readonly legacyQueries: number;
}

/** What metrics are made of. */
export interface ServerFigures {
  readonly requests: RequestMetrics;
  /** How many each thread answered. */
  readonly answered: readonly number[];
  readonly eventLoopDelay: Latency;
  readonly queries: Readonly<Record<string, number>>;
  readonly legacyQueries: number;
}

/** As if one thread had measured both. */
export function joinedFigures(one: ThreadFigures, other: ThreadFigures): ThreadFigures {
  const sum = sumOf([one, other]);
  return {
    requests: sum.requests.figures(),
    eventLoopDelay: sum.eventLoopDelay,
    queries: sum.queries,
    legacyQueries: sum.legacyQueries,
  };
}

export function sumOf(threads: readonly ThreadFigures[]): ServerFigures {
  const requests = new RequestMetrics();
  const eventLoopDelay = new Latency();
  const queries: Record<string, number> = {};
  for (const thread of threads) {
    requests.add(thread.requests);
    eventLoopDelay.add(thread.eventLoopDelay);
    for (const [name, count] of Object.entries(thread.queries)) {
      queries[name] = (queries[name] ?? 0) + count;
    }
  }
  const legacyQueries = threads.reduce((sum, thread) => sum + thread.legacyQueries, 0);
  const answered = threads.map((thread) => answeredIn(thread.requests));
  return { requests, answered, eventLoopDelay, queries, legacyQueries };
}

function answeredIn({ tallies }: RequestFigures): number {
  const counts = tallies.flatMap(({ byStatus }) => [...byStatus.values()]);
  return counts.reduce((sum, count) => sum + count, 0);
}
