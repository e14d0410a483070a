/** All routes of Prometheus' HTTP API that clients use. */

import { labelNames, labelValues, series } from './labels.js';
import { alerts, buildInfo, formatQuery, metadata, queryExemplars, rules } from './probes.js';
import { instantQuery, rangeQuery } from './query.js';
import { tsdbStatus } from './tsdb-status.js';

import type { PrometheusRoute } from './prometheus-route.js';

export const prometheusRoutes: readonly PrometheusRoute[] = [
  ...instantQuery,
  ...rangeQuery,
  ...formatQuery,
  ...queryExemplars,
  ...series,
  ...labelNames,
  labelValues,
  metadata,
  rules,
  alerts,
  buildInfo,
  tsdbStatus,
];
