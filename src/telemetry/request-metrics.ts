/** Counts and durations of HTTP requests, by route, method and status. */

import { histogramSamples, type MetricSample } from './exposition.js';
import { Latency, latencyBounds, type LatencyFigures } from './latency.js';
import { ProtocolMetrics, type ProtocolFigures } from './protocol-metrics.js';

/** Methods outside this list share one label, so that a client cannot invent time series. */
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
const statusClasses = ['gone', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** The figures of one route and method. */
interface RequestTally {
  readonly route: string;
  readonly method: string;
  readonly byStatus: Map<number, number>;
  /** By class of status. The first class is clients that disconnected. */
  readonly byClass: (Latency | undefined)[];
}

interface AnsweredRequest {
  /** A path of the route table or `none`, so that the number of routes is bounded. */
  readonly route: string;
  readonly method: string;
  /** 0 means that the client disconnected before the answer. */
  readonly status: number;
  readonly seconds: number;
}

/** All figures, in a form that can be sent to another thread. */
export interface RequestFigures {
  readonly tallies: readonly TallyFigures[];
  readonly protocols: ProtocolFigures;
  readonly leftOut: number;
}

interface TallyFigures {
  readonly route: string;
  readonly method: string;
  readonly byStatus: ReadonlyMap<number, number>;
  readonly byClass: readonly (LatencyFigures | undefined)[];
}

export class RequestMetrics {
  readonly protocols = new ProtocolMetrics();
  readonly #tallies = new Map<string, Map<string, RequestTally>>();
  #leftOut = 0;

  /** Samples that an export left out, since no line format can hold them. */
  get leftOut(): number {
    return this.#leftOut;
  }

  recordLeftOut(count: number): void {
    this.#leftOut += count;
  }

  record({ route, method, status, seconds }: AnsweredRequest): void {
    const tally = this.#tallyOf(route, knownMethods.has(method) ? method : 'other');
    tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
    (tally.byClass[Math.trunc(status / 100)] ??= new Latency()).record(seconds);
  }

  figures(): RequestFigures {
    return {
      tallies: this.#all(),
      protocols: this.protocols.figures(),
      leftOut: this.#leftOut,
    };
  }

  /** Adds the figures of another thread. */
  add({ tallies, protocols, leftOut }: RequestFigures): void {
    for (const { route, method, byStatus, byClass } of tallies) {
      const tally = this.#tallyOf(route, method);
      for (const [status, count] of byStatus) {
        tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + count);
      }
      byClass.forEach((latency, index) => {
        if (latency !== undefined) (tally.byClass[index] ??= new Latency()).add(latency);
      });
    }
    this.protocols.add(protocols);
    this.#leftOut += leftOut;
  }

  #tallyOf(route: string, method: string): RequestTally {
    let methods = this.#tallies.get(route);
    if (methods === undefined)
      this.#tallies.set(route, (methods = new Map<string, RequestTally>()));
    let tally = methods.get(method);
    if (tally === undefined) {
      tally = { route, method, byStatus: new Map<number, number>(), byClass: [] };
      methods.set(method, tally);
    }
    return tally;
  }

  /** Counts of answers, by `route`, `method` and `status`. */
  counts(): readonly MetricSample[] {
    return this.#all().flatMap(({ route, method, byStatus }) =>
      [...byStatus].map(([status, value]) => ({
        labels: { route, method, status: String(status) },
        value,
      })),
    );
  }

  /** Durations, by `route`, `method` and `class`. */
  durations(): readonly MetricSample[] {
    return this.#all().flatMap(({ route, method, byClass }) =>
      statusClasses.flatMap((name, index) => {
        const measured = byClass[index];
        if (measured === undefined) return [];
        return histogramSamples({ route, method, class: name }, latencyBounds, measured);
      }),
    );
  }

  #all(): readonly RequestTally[] {
    return [...this.#tallies.values()].flatMap((methods) => [...methods.values()]);
  }
}
