/** Every route of the public API on one page. */

import { compareRoute } from './routes/compare.js';
import { healthzRoute, readyzRoute } from './routes/health.js';
import { ingestRoute } from './routes/ingest.js';
import { metricsRoute } from './routes/metrics.js';
import { openApiRoute } from './routes/openapi.js';
import { rangeByBodyRoute, rangeByQueryRoute } from './routes/range.js';
import { statusRoute } from './routes/status.js';

import type { Answer, Route, RouteTable } from './route.js';

const rows: readonly (readonly [string, string, Answer])[] = [
  ['POST', '/api/v1/ingest', ingestRoute],
  ['POST', '/api/v1/query/range', rangeByBodyRoute],
  ['GET', '/api/v1/query/range', rangeByQueryRoute],
  ['POST', '/api/v1/query/compare', compareRoute],
  ['GET', '/status', statusRoute],
  ['GET', '/metrics', metricsRoute],
  ['GET', '/healthz', healthzRoute],
  ['GET', '/readyz', readyzRoute],
  ['GET', '/openapi.json', openApiRoute],
];

export const routeTable: RouteTable = buildTable(rows);

export function buildTable(source: readonly (readonly [string, string, Answer])[]): RouteTable {
  const table = new Map<string, Map<string, Route>>();
  for (const [method, path, answer] of source) {
    const methods = table.get(path) ?? new Map<string, Route>();
    methods.set(method, { name: `${method} ${path}`, answer });
    table.set(path, methods);
  }
  return table;
}
