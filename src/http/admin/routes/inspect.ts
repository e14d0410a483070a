/** Inspection of the database's files. */

import * as json from '../../fields/json-schema.js';
import { defaultsTo, parameter } from '../../fields/query-schema.js';
import { checkedInspection, inspectedParts } from '../../../operations/inspection.js';

import { adminQuery, adminRoute } from '../admin-route.js';
import { exampleLines, linesAnswer, linesReply } from '../lines-reply.js';

const rowSchema = json.named('InspectedRow', {
  type: 'object',
  additionalProperties: true,
  description: 'Facts about one item; an unreadable file has an `error`.',
});

export const inspect = adminRoute({
  method: 'GET',
  path: '/__admin/inspect',
  scope: 'admin',
  tag: 'operate',
  summary: 'Contents of the database’s files, as of one moment.',
  query: adminQuery({
    part: defaultsTo(parameter.choice(inspectedParts, 'The part to inspect.'), 'manifest'),
    number: parameter.u64('Only this segment (`segments`, `chunks`) or this file (`wal`).'),
  }),
  answer: linesAnswer(
    'One line per item; for `wal` one per record that is synced, or written with `fsync = none`.',
    rowSchema,
  ),
  errors: ['io'],
  example: {
    query: { part: 'segments' },
    answer: exampleLines({
      segment: 1,
      level: 'flushed',
      bytes: 419,
      series: 1,
      chunks: 1,
      samples: 2,
      start: 1700000000000,
      end: 1700000060000,
    }),
    isSketch: true,
  },
  handler: ({ query: { part, number }, request }, context) =>
    linesReply(request, context.inspect(checkedInspection(part, number ?? null))),
});
