/** Figures of one server thread, and the sum over all threads. */

import { Latency, type LatencyFigures } from '../telemetry/latency.js';
import { RequestMetrics, type RequestFigures } from '../telemetry/request-metrics.js';

/** The figures of a thread, in a form that can be sent to another thread. */
export interface ThreadFigures {
  readonly requests: RequestFigures;
  readonly eventLoopDelay: LatencyFigures;
  /** By the names of the specification. */
  readonly queries: Readonly<Record<string, number>>;
  /** Queries that select by `series` and `tags`. */
  readonly legacyQueries: number;
}

/** The inputs of metrics. */
export interface ServerFigures {
  readonly requests: RequestMetrics;
  /** Answered requests per thread. */
  readonly answered: readonly number[];
  readonly eventLoopDelay: Latency;
  readonly queries: Readonly<Record<string, number>>;
  readonly legacyQueries: number;
}

/** The sum of two threads' figures. */
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
