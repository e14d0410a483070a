/** Maintenance of the database's files. */

import * as json from '../../fields/json-schema.js';
import { parameter } from '../../fields/query-schema.js';
import { jsonReply } from '../../route/reply.js';
import { beginLongTask, printCollection } from '../../../operations/maintenance.js';

import { adminQuery, adminRoute, noParameters } from '../admin-route.js';
import { exampleLines, linesAnswer, linesReply } from '../lines-reply.js';

const shared = {
  method: 'POST',
  scope: 'admin',
  tag: 'operate',
  errors: ['storage_unavailable', 'fenced', 'io'],
} as const;

const flushSchema = json.named('Flushed', json.object({ status: { const: 'flushed' } }));

export const flush = adminRoute({
  ...shared,
  path: '/__admin/flush',
  summary: 'Flushes all memtables to segments.',
  query: noParameters,
  answer: { purpose: 'All samples acknowledged before are in segments.', schema: flushSchema },
  example: { answer: { status: 'flushed' } },
  handler: async (_asked, context) => {
    await context.flush();
    return jsonReply('{"status":"flushed"}');
  },
});

export const compact = adminRoute({
  ...shared,
  path: '/__admin/compact',
  summary: 'Compacts segments until nothing is left to merge.',
  query: noParameters,
  answer: linesAnswer('One line per step and per second; the last line has the result.'),
  example: {
    answer: exampleLines(
      { kind: 'flush' },
      { kind: 'waiting' },
      { kind: 'plan', segments: 1, bytes: 838 },
      { kind: 'progress', segments: 1, bytes: 419, bytes_left: 419 },
      {
        kind: 'end',
        status: 'compacted',
        segments_before: 1,
        segments_after: 1,
        bytes_before: 419,
        bytes_after: 419,
      },
    ),
    isSketch: true,
  },
  handler: ({ request }, context) => linesReply(request, beginLongTask('compact', context)),
});

export const migrate = adminRoute({
  ...shared,
  path: '/__admin/migrate',
  summary: 'Rewrites files of older versions in the current format.',
  query: noParameters,
  answer: linesAnswer('One line per step and per second; the last line has the result.'),
  errors: [...shared.errors, 'invalid_configuration'],
  example: {
    answer: exampleLines(
      { kind: 'flush' },
      { kind: 'waiting' },
      { kind: 'plan', segments: 0, bytes: 0 },
      { kind: 'end', status: 'migrated', segments: 0, bytes: 0, tags: 0, left: 0 },
    ),
    isSketch: true,
  },
  handler: ({ request }, context) => linesReply(request, beginLongTask('migrate', context)),
});

const collectionSchema = json.named(
  'Collection',
  json.object({
    status: { enum: ['planned', 'collected'] },
    files: json.said(json.count, 'Number of removed segments.'),
    bytes: json.said(json.count, 'Size of the removed segments.'),
    commits: json.said(json.count, 'Number of removed commits of history.'),
    refs_bytes: json.said(json.count, 'Bytes by which REFS shrank.'),
    kept: json.said(json.count, 'Unnamed files that must stay for now.'),
  }),
);

export const collect = adminRoute({
  ...shared,
  path: '/__admin/gc',
  summary: 'Removes files that no state of the database names.',
  query: adminQuery({
    dry_run: parameter.flag('Only report what would be removed.'),
    history: parameter.flag('Also remove the whole history.'),
  }),
  answer: {
    purpose: 'The removed files, or those that would be removed.',
    schema: collectionSchema,
  },
  example: {
    query: { dry_run: 'true' },
    answer: { status: 'planned', files: 0, bytes: 0, commits: 0, refs_bytes: 841, kept: 0 },
    isSketch: true,
  },
  handler: async ({ query }, context) => {
    const asked = { isDryRun: query.dry_run, isOfHistory: query.history };
    return jsonReply(printCollection(await context.collect(asked), asked));
  },
});

export const verify = adminRoute({
  ...shared,
  path: '/__admin/verify',
  summary: 'Reads every file completely and reports damage.',
  query: noParameters,
  answer: linesAnswer('One line per file; the last line is the summary.'),
  example: {
    answer: exampleLines(
      { kind: 'plan', files: 7, bytes: 3935, timestamp_unit: 'ms' },
      { kind: 'file', file: 'ROOT', status: 'ok', bytes: 41 },
      { kind: 'end', status: 'ok', files: 7, damaged: 0, bytes: 3935, samples: 4 },
    ),
    isSketch: true,
  },
  handler: ({ request }, context) => linesReply(request, context.verify()),
});

export const repair = adminRoute({
  ...shared,
  path: '/__admin/repair',
  summary: 'Replaces damaged segments by their readable parts.',
  query: adminQuery({
    accept_loss: parameter.flag('Allow the loss of unreadable samples.'),
    dry_run: parameter.flag('Only report what would be done.'),
  }),
  answer: linesAnswer('One line per segment; the last line has the result.'),
  example: {
    query: { dry_run: 'true' },
    answer: exampleLines(
      { kind: 'plan', files: 1, bytes: 419 },
      { kind: 'end', status: 'ok', mended: 0, planned: 0, left: 0, lost_samples: 0 },
    ),
    isSketch: true,
  },
  handler: ({ query, request }, context) => {
    const wishes = { isDry: query.dry_run, isLossAccepted: query.accept_loss };
    return linesReply(request, context.openRepair(wishes));
  },
});
