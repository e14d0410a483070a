/** Server status. */

import { timestampUnits } from '../../common/model/timestamp-unit.js';

import * as json from '../fields/json-schema.js';
import { jsonReply } from '../route/reply.js';
import { publicRoute } from './public-route.js';

/** Absent without a bucket. */
const bucketSchema = json.named(
  'BucketStatus',
  json.object(
    {
      url: json.text,
      role: { enum: ['owner'] },
      node: json.said(json.text, 'The name of this server in the bucket.'),
      ack: json.said({ enum: ['local', 'bucket'] }, 'What an answer to a write waits for.'),
      epoch: json.said(json.count, 'Claims up to the own one.'),
      entry: json.said(json.count, 'The newest entry.'),
      lag_seconds: json.said(json.number, 'Age of the oldest write that the bucket lacks.'),
      unshipped_bytes: json.said(json.count, 'Bytes of the log that the bucket lacks.'),
      published_age_seconds: json.said(json.number, 'Since the last publication.'),
      fenced: json.said(json.flag, 'Whether another server owns the database.'),
      failure: json.said(json.text, 'Why the bucket lags or is not reached.'),
    },
    ['failure'],
  ),
);

/** Absent without a schedule. */
const backupSchema = json.named(
  'BackupStatus',
  json.object(
    {
      to: json.said(json.text, '`s3://NAME/PREFIX`, or a directory.'),
      every_seconds: json.number,
      running: json.said(json.flag, 'Whether one runs now.'),
      last_success: json.said(json.text, 'When the last good one ended, in ISO 8601.'),
      last_outcome: { enum: ['ok', 'damaged', 'failed'] },
      last_failure: json.said(json.text, 'Why the last one failed.'),
    },
    ['last_success', 'last_outcome', 'last_failure'],
  ),
);

const statusSchema = json.named(
  'Status',
  json.object(
    {
      status: { enum: ['ok', 'degraded'] },
      reasons: json.said(json.texts, 'The causes of `degraded`.'),
      warnings: json.said(
        json.texts,
        'Facts that an operator should know although nothing is broken.',
      ),
      version: json.said(json.text, 'Version of the server.'),
      timestamp_unit: json.said(
        { enum: [...timestampUnits] },
        'Unit of every timestamp in this database.',
      ),
      auth_required: json.said(json.flag, 'Whether the server requires a token.'),
      uptime_seconds: json.said(json.number, "Since the server's program was loaded."),
      cas_mode: { enum: ['off', 'dual_write'] },
      metadata_read_mode: { enum: ['legacy', 'shadow', 'primary'] },
      query_compiler_mode: { enum: ['legacy', 'shadow', 'compiled'] },
      compatibility_debt: json.figures,
      runtime: json.figures,
      storage: json.said(
        json.figures,
        'Stored data: series, samples, segments and their bytes; and the free disk space.',
      ),
      bucket: json.referenceTo(bucketSchema),
      backup: json.referenceTo(backupSchema),
      memory: json.said(
        json.figures,
        'Memory of the server in bytes, by part, with sum and limit.',
      ),
      index: json.said(
        json.figures,
        'Memory of the series index in bytes, by part; `storage` has the number of series.',
      ),
    },
    ['reasons', 'warnings', 'bucket', 'backup'],
  ),
  [bucketSchema, backupSchema],
);

export const status = publicRoute({
  method: 'GET',
  path: '/status',
  scope: 'status',
  isCentral: true,
  tag: 'operate',
  summary: 'State and counters of the server and its database.',
  answer: { purpose: 'The snapshot.', schema: statusSchema },
  example: {
    answer: {
      status: 'ok',
      version: '0.1.0',
      timestamp_unit: 'ms',
      auth_required: false,
      uptime_seconds: 86400.5,
      cas_mode: 'dual_write',
      metadata_read_mode: 'primary',
      query_compiler_mode: 'compiled',
      compatibility_debt: { legacy_segment_descriptors: 0 },
      runtime: { queue_depth: 0, ingest_total: 4 },
      storage: { series: 2, memtable_samples: 4, segments: 0, disk_free_bytes: 42949672960 },
      memory: { memory_limit_bytes: 1073741824, memory_used_bytes: 1444269 },
      index: { index_posting_bytes: 262144, index_text_bytes: 147456 },
    },
    isSketch: true,
  },
  handler: async (_asked, { operations }) => jsonReply(JSON.stringify(await operations.status())),
});
