/** Debugging routes for operators. */

import { AppError } from '../../common/errors/app-error.js';

import * as json from '../fields/json-schema.js';
import { jsonReply, streamReply } from '../route/reply.js';
import { publicRoute } from './public-route.js';

import { metricDescriptor } from './discovery.js';

const statsSchema = json.named(
  'CompatStats',
  json.object({
    legacy_ingest_lines: json.count,
    legacy_selector_queries: json.count,
    translations: json.count,
    fallbacks: json.count,
    cache_hits: json.count,
  }),
);

export const compatStats = publicRoute({
  method: 'GET',
  path: '/debug/compat/stats',
  scope: 'public',
  isCentral: true,
  tag: 'operate',
  summary: 'Usage counters of the older forms of the API.',
  answer: { purpose: 'Counters since the start.', schema: statsSchema },
  example: {
    answer: {
      legacy_ingest_lines: 1,
      legacy_selector_queries: 0,
      translations: 0,
      fallbacks: 0,
      cache_hits: 0,
    },
    isSketch: true,
  },
  handler: async (_asked, { operations }) =>
    jsonReply(JSON.stringify(await operations.compatStats())),
});

const catalogSchema = json.named(
  'CompatCatalog',
  json.object({
    namespaces: json.listOf(json.object({ name: json.text })),
    types: json.listOf(json.object({ name: json.text, meaning: json.text })),
    classes: json.listOf(json.referenceTo(metricDescriptor)),
    attributes: json.listOf(json.object({ class: json.text, name: json.text, type: json.text })),
  }),
  [metricDescriptor],
);

export const compatCatalog = publicRoute({
  method: 'GET',
  path: '/debug/compat/catalog',
  scope: 'read',
  tag: 'operate',
  summary: 'Metrics and labels as relations.',
  answer: { purpose: 'One relation per member, streamed.', schema: catalogSchema },
  example: {
    answer: {
      namespaces: [{ name: 'metrics' }],
      types: [
        { name: 'timestamp', meaning: 'a signed 64-bit integer in the unit of the database' },
      ],
      classes: [
        {
          metric: 'cpu.load',
          kind: 'gauge',
          series_count: 1,
          label_keys: ['host'],
          first_ts: 1700000000000,
          last_ts: 1700000060000,
        },
      ],
      attributes: [{ class: 'cpu.load', name: 'ts', type: 'timestamp' }],
    },
    isSketch: true,
  },
  handler: (_asked, { operations }) => streamReply(operations.compatCatalog()),
});

const poolSchema = json.named(
  'AllocStats',
  json.object({
    allocator: { const: 'small_pool' },
    classes: json.listOf(
      json.object({
        size: json.count,
        allocations: json.count,
        in_use: json.count,
        high_water: json.count,
        refills: json.count,
        slabs: json.count,
      }),
    ),
  }),
);

export const allocStats = publicRoute({
  method: 'GET',
  path: '/debug/alloc/stats',
  scope: 'public',
  tag: 'operate',
  summary: 'Small blocks of memtables; 404 unless `allocator` is `small_pool`.',
  answer: { purpose: 'One row per block size.', schema: poolSchema },
  errors: ['not_found'],
  example: {
    answer: {
      allocator: 'small_pool',
      classes: [{ size: 16, allocations: 0, in_use: 0, high_water: 0, refills: 0, slabs: 0 }],
    },
    isSketch: true,
  },
  handler: (_asked, { operations }) => {
    const classes = operations.blockSizes();
    if (classes === null) {
      throw new AppError('not_found', 'this route needs allocator = "small_pool"');
    }
    return jsonReply(JSON.stringify({ allocator: 'small_pool', classes }));
  },
});
