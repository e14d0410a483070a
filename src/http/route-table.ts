/** Every route of the public API. */

import { csvRoutes } from './protocols/csv/routes.js';
import { influxRoutes } from './protocols/influx/routes.js';
import { otlpRoutes } from './protocols/otlp/routes.js';
import { prometheusRoutes } from './protocols/prometheus/routes.js';
import { remoteReadRoutes } from './protocols/remote-read/routes.js';
import { remoteWriteRoutes } from './protocols/remote-write/routes.js';
import { victoriaMetricsRoutes } from './protocols/victoriametrics/routes.js';

import { buildTable, type RouteTable } from './route/build-table.js';
import {
  deleteAnnotation,
  queryAnnotations,
  updateAnnotation,
  writeAnnotation,
} from './routes/annotations.js';
import { boardRoutes } from './routes/boards.js';
import { compare } from './routes/compare.js';
import { allocStats, compatCatalog, compatStats } from './routes/debug.js';
import {
  findIds,
  findMetrics,
  findSeries,
  labelValues,
  metricsHealth,
} from './routes/discovery.js';
import { exportSamples } from './routes/export.js';
import { healthz, influxHealth, readyz } from './routes/health.js';
import { ingest } from './routes/ingest.js';
import { metrics } from './routes/metrics.js';
import { describeApi } from './routes/openapi.js';
import { page, pageFile } from './routes/page.js';
import { rangeByBody, rangeByQuery } from './routes/range.js';
import { seriesql } from './routes/seriesql.js';
import { status } from './routes/status.js';

import type { PublicRoute, RouteContext } from './routes/public-route.js';

const routes: readonly PublicRoute[] = [
  ingest,
  rangeByBody,
  rangeByQuery,
  exportSamples,
  compare,
  findIds,
  findMetrics,
  findSeries,
  labelValues,
  metricsHealth,
  writeAnnotation,
  queryAnnotations,
  updateAnnotation,
  deleteAnnotation,
  ...boardRoutes,
  seriesql,
  status,
  metrics,
  healthz,
  readyz,
  influxHealth,
  compatStats,
  compatCatalog,
  allocStats,
  ...csvRoutes,
  ...influxRoutes,
  ...remoteWriteRoutes,
  ...remoteReadRoutes,
  ...otlpRoutes,
  ...victoriaMetricsRoutes,
  ...prometheusRoutes,
  page,
  pageFile,
  describeApi(() => routes),
];

export const routeTable: RouteTable<RouteContext> = buildTable(routes, { elsewhere: 'open' });
