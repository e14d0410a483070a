/** Past states: snapshots, backups and undelete. */

import * as json from '../../fields/json-schema.js';
import { bodySchema, field } from '../../fields/body-schema.js';
import { parameter } from '../../fields/query-schema.js';
import { jsonReply } from '../../route/reply.js';
import { jsonBody } from '../../route/route-body.js';
import {
  answerSnapshotTask,
  beginBackup,
  checkSameDirectory,
} from '../../../operations/maintenance.js';
import { beginUndelete } from '../../../operations/undelete.js';

import { adminQuery, adminRoute } from '../admin-route.js';
import { exampleLines, linesAnswer, linesReply } from '../lines-reply.js';

const shared = { scope: 'admin', tag: 'operate' } as const;

const snapshotSchema = json.named(
  'SnapshotChange',
  json.object({ status: { enum: ['created', 'deleted'] }, name: json.text }),
);

const listedSchema = json.named(
  'Snapshot',
  json.object({
    name: json.text,
    time_ms: json.said(json.count, 'Creation time in milliseconds since 1970.'),
    series: json.count,
    segments: json.count,
    samples: json.count,
    bytes: json.count,
    own_bytes: json.said(json.count, 'Bytes of segments that only this snapshot needs.'),
  }),
);

const snapshotQuery = adminQuery({
  name: parameter.text('The name of the snapshot: letters, digits, `_`, `-` and `.`.'),
});

const unavailable = ['storage_unavailable', 'fenced'] as const;

export const createSnapshot = adminRoute({
  ...shared,
  method: 'POST',
  path: '/__admin/snapshot/create',
  summary: 'Gives the current state a name and keeps it.',
  query: snapshotQuery,
  answer: { purpose: 'The snapshot exists.', schema: snapshotSchema },
  errors: ['invalid_name', 'snapshot_exists', 'invalid_configuration', ...unavailable],
  example: { query: { name: 'tuesday' }, answer: { status: 'created', name: 'tuesday' } },
  handler: async ({ query }, context) =>
    jsonReply(await answerSnapshotTask('snapshot/create', context, query.name)),
});

export const listSnapshots = adminRoute({
  ...shared,
  method: 'GET',
  path: '/__admin/snapshot/list',
  summary: 'All snapshots.',
  answer: linesAnswer('One line per item.', listedSchema),
  example: {
    answer: exampleLines({
      name: 'tuesday',
      time_ms: 1893456000000,
      series: 3,
      segments: 1,
      samples: 4,
      bytes: 419,
      own_bytes: 0,
    }),
    isSketch: true,
  },
  handler: ({ request }, context) => linesReply(request, context.openSnapshots()),
});

/** The backup is written to a directory on the server's machine. */
export const backup = adminRoute({
  ...shared,
  method: 'POST',
  path: '/__admin/backup',
  summary: 'Copies all acknowledged data into another directory, which may already hold a backup.',
  query: adminQuery({
    directory: parameter.text('The absolute path of a directory on the server.'),
    seen: parameter.text(
      'Device and inode, `DEV:INO`, of the nearest existing directory on that path, as a client ' +
        'on the same machine sees it. If the server sees another one, it refuses.',
    ),
  }),
  answer: linesAnswer('One line per file; the last line has the result.'),
  errors: ['invalid_directory', 'locked', 'io', 'invalid_configuration'],
  example: {
    query: { directory: '/backup/tuesday' },
    answer: exampleLines(
      { kind: 'flush' },
      { kind: 'plan', files: 1, bytes: 419, present: 0 },
      {
        kind: 'end',
        status: 'ok',
        files: 1,
        bytes: 419,
        present: 0,
        damaged: 0,
        removed: 0,
        database_id: '4346909c8f990b03477b6ce7bff0dd3d',
      },
    ),
    isSketch: true,
  },
  handler: async ({ query: { directory, seen }, request }, context) => {
    if (directory !== undefined && seen !== undefined) await checkSameDirectory(directory, seen);
    return linesReply(request, beginBackup(context, directory));
  },
});

const undeleteBody = bodySchema({
  metric: field.text('Only series of this metric.'),
  prefix: field.text('Only series of metrics with this prefix.'),
  labels: field.labels('Only series with these labels.'),
  start: field.ts('The first timestamp, inside the range.'),
  end: field.ts('The last timestamp, inside the range.'),
});

export const undelete = adminRoute({
  ...shared,
  method: 'POST',
  path: '/__admin/undelete',
  summary: 'Restores samples that a past state has and the database lacks.',
  query: adminQuery({
    as_of: parameter.text(
      'The state: a snapshot name, `@` and a commit number, or a time in the ' +
        'unit of the database or ISO 8601.',
    ),
    dry_run: parameter.flag('Only count the samples.'),
  }),
  // Without a body, all series are meant.
  body: jsonBody(undeleteBody, { isOptional: true, refusesUnknown: true }),
  answer: linesAnswer('One line per second; the last line has the number of restored samples.'),
  limits: ['memory_limit_bytes'],
  errors: [
    'invalid_name',
    'invalid_time_range',
    'snapshot_not_found',
    'state_not_found',
    'storage_corrupt',
    'too_many_queries',
    'query_limit_exceeded',
  ],
  example: {
    query: { as_of: 'tuesday', dry_run: 'true' },
    body: { metric: 'cpu.load', labels: { host: 'a' } },
    answer: exampleLines(
      { kind: 'plan', dry_run: true, series: 1 },
      {
        kind: 'end',
        status: 'ok',
        dry_run: true,
        series: 1,
        restored_series: 0,
        samples: 0,
        present: 2,
      },
    ),
    isSketch: true,
  },
  handler: ({ query, body, request }, context) => {
    const { as_of: asOf, dry_run: isDryRun } = query;
    const asked = { ...body, asOf, unit: context.unit, isDryRun };
    return linesReply(
      request,
      context.oneUndelete.begin(() => beginUndelete(context, asked)),
    );
  },
});

export const deleteSnapshot = adminRoute({
  ...shared,
  method: 'POST',
  path: '/__admin/snapshot/delete',
  summary: 'Deletes a snapshot; the next `gc` removes the data that only it kept.',
  query: snapshotQuery,
  answer: { purpose: 'The snapshot no longer exists.', schema: snapshotSchema },
  errors: ['invalid_name', 'snapshot_not_found', 'invalid_configuration', ...unavailable],
  example: { query: { name: 'tuesday' }, answer: { status: 'deleted', name: 'tuesday' } },
  handler: async ({ query }, context) =>
    jsonReply(await answerSnapshotTask('snapshot/delete', context, query.name)),
});
