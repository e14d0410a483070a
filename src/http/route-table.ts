/** Every route of the public API on one page. */

import { buildTable, type RouteRow } from './build-table.js';
import { queryAnnotationsRoute, writeAnnotationRoute } from './routes/annotations.js';
import { compareRoute } from './routes/compare.js';
import { allocStatsRoute, compatCatalogRoute, compatStatsRoute } from './routes/debug.js';
import {
  findIdsRoute,
  findMetricsRoute,
  findSeriesRoute,
  labelValuesRoute,
  metricsHealthRoute,
} from './routes/discovery.js';
import { healthzRoute, readyzRoute } from './routes/health.js';
import { ingestRoute } from './routes/ingest.js';
import { metricsRoute } from './routes/metrics.js';
import { openApiRoute } from './routes/openapi.js';
import { rangeByBodyRoute, rangeByQueryRoute } from './routes/range.js';
import { seriesqlRoute } from './routes/seriesql.js';
import { statusRoute } from './routes/status.js';

import type { RouteTable } from './route.js';

const rows: readonly RouteRow[] = [
  ['POST', '/api/v1/ingest', ingestRoute],
  ['POST', '/api/v1/query/range', rangeByBodyRoute],
  ['GET', '/api/v1/query/range', rangeByQueryRoute],
  ['POST', '/api/v1/query/compare', compareRoute],
  ['POST', '/api/v1/query/find', findIdsRoute],
  ['POST', '/api/v1/metrics/find', findMetricsRoute],
  ['POST', '/api/v1/series/find', findSeriesRoute],
  ['POST', '/api/v1/labels/values', labelValuesRoute],
  ['POST', '/api/v1/metrics/health', metricsHealthRoute],
  ['POST', '/api/v1/annotations/write', writeAnnotationRoute],
  ['POST', '/api/v1/annotations/query', queryAnnotationsRoute],
  ['POST', '/api/v1/seriesql', seriesqlRoute],
  ['GET', '/status', statusRoute],
  ['GET', '/metrics', metricsRoute],
  ['GET', '/healthz', healthzRoute],
  ['GET', '/readyz', readyzRoute],
  ['GET', '/debug/compat/stats', compatStatsRoute],
  ['GET', '/debug/compat/catalog', compatCatalogRoute],
  ['GET', '/debug/alloc/stats', allocStatsRoute],
  ['GET', '/openapi.json', openApiRoute],
];

export const routeTable: RouteTable = buildTable(rows);
