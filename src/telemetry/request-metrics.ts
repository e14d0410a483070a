/** Counts and times of HTTP requests, by route. */

import { kMetricPrefix } from './metric-names.js';

import type { MetricFamily, MetricSample } from './exposition.js';

const bucketSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface RouteTimes {
  readonly buckets: number[];
  readonly byStatus: Map<number, number>;
  seconds: number;
  count: number;
}

export class RequestMetrics {
  readonly #routes = new Map<string, RouteTimes>();

  /** `route` is a name of the route table, so that their number is bounded. */
  record(route: string, status: number, seconds: number): void {
    let times = this.#routes.get(route);
    if (times === undefined) {
      times = { buckets: bucketSeconds.map(() => 0), byStatus: new Map(), seconds: 0, count: 0 };
      this.#routes.set(route, times);
    }
    times.seconds += seconds;
    times.count += 1;
    times.byStatus.set(status, (times.byStatus.get(status) ?? 0) + 1);
    const bucket = bucketSeconds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) times.buckets[bucket] = (times.buckets[bucket] ?? 0) + 1;
  }

  families(): readonly MetricFamily[] {
    const counts: MetricSample[] = [];
    const histogram: MetricSample[] = [];
    for (const [route, times] of this.#routes) {
      for (const [status, value] of times.byStatus) {
        counts.push({ labels: { route, status: String(status) }, value });
      }
      let total = 0;
      bucketSeconds.forEach((bound, index) => {
        total += times.buckets[index] ?? 0;
        histogram.push({ suffix: '_bucket', labels: { route, le: String(bound) }, value: total });
      });
      histogram.push({ suffix: '_bucket', labels: { route, le: '+Inf' }, value: times.count });
      histogram.push({ suffix: '_sum', labels: { route }, value: times.seconds });
      histogram.push({ suffix: '_count', labels: { route }, value: times.count });
    }
    return [
      {
        name: `${kMetricPrefix}http_requests_total`,
        type: 'counter',
        help: 'Requests answered, by route and status; 0 is a client that went away.',
        samples: counts,
      },
      {
        name: `${kMetricPrefix}http_request_duration_seconds`,
        type: 'histogram',
        help: 'Time from the end of the request head to the end of the answer.',
        samples: histogram,
      },
    ];
  }
}
