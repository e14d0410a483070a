/** Notes on stretches of time. */

import { bodySchema, field, opField, required } from '../fields/body-schema.js';
import * as json from '../fields/json-schema.js';
import { jsonReply, streamReply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { publicRoute } from './public-route.js';

const annotation = json.named(
  'Annotation',
  json.object(
    {
      id: { ...json.i64, minimum: 1 },
      kind: json.text,
      title: json.text,
      message: json.text,
      metric: json.text,
      start: json.i64,
      end: json.i64,
      labels: json.textMap,
    },
    ['message', 'metric'],
  ),
);

const stored = {
  id: 1,
  kind: 'deploy',
  title: 'Version 1.2 goes out',
  message: 'Rolled out host by host.',
  metric: 'cpu.load',
  start: 1700000000000,
  end: 1700000600000,
  labels: { host: 'a' },
};

const writtenFields = {
  kind: required(field.text('What sort of note it is; free text.')),
  title: required(field.text('What the note says, in short.')),
  message: field.text('What the note says, in full.'),
  metric: field.text('The metric that the note is about.'),
  labels: field.labels('What the note is about.'),
  start: required(field.i64('The first timestamp of the time that the note is about.')),
  end: field.i64('The last timestamp of that time; `start` if absent.'),
};

export const writeAnnotation = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/write',
  scope: 'write',
  tag: 'annotate',
  summary: 'Stores a note on a stretch of time; on disk before the answer.',
  body: jsonBody(bodySchema(writtenFields)),
  answer: { status: 201, purpose: 'The note as stored.', schema: annotation },
  errors: ['invalid_time_range', 'ingest_backpressure', 'storage_unavailable'],
  limits: ['memory_limit_bytes'],
  example: {
    body: {
      kind: 'deploy',
      title: 'Version 1.2 goes out',
      message: 'Rolled out host by host.',
      metric: 'cpu.load',
      labels: { host: 'a' },
      start: 1700000000000,
      end: 1700000600000,
    },
    answer: stored,
  },
  handler: async ({ body }, { operations }) => jsonReply(await operations.annotate(body), 201),
});

const changed = {
  id: 1,
  kind: 'deploy',
  title: 'Version 1.2 is out',
  metric: 'cpu.load',
  start: 1700000000000,
  end: 1700000900000,
  labels: { host: 'a' },
};

const idField = required(field.u64('The id of the note.'));
const ofChanges = ['annotation_not_found', 'ingest_backpressure', 'storage_unavailable'] as const;

export const updateAnnotation = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/update',
  scope: 'write',
  tag: 'annotate',
  summary: 'Puts a note in the place of another, whose id it keeps; on disk before the answer.',
  body: jsonBody(bodySchema({ id: idField, ...writtenFields })),
  answer: { purpose: 'The note as stored.', schema: annotation },
  errors: ['invalid_time_range', ...ofChanges],
  limits: ['memory_limit_bytes'],
  example: {
    body: changed,
    answer: changed,
  },
  handler: async ({ body }, { operations }) => jsonReply(await operations.annotate(body)),
});

export const deleteAnnotation = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/delete',
  scope: 'write',
  tag: 'annotate',
  summary: 'Deletes a note; on disk before the answer. Its id is not given again.',
  body: jsonBody(bodySchema({ id: idField })),
  answer: { purpose: 'The note as it was.', schema: annotation },
  errors: ofChanges,
  limits: ['memory_limit_bytes'],
  example: {
    body: { id: 1 },
    answer: changed,
  },
  handler: async ({ body }, { operations }) =>
    jsonReply(await operations.deleteAnnotation(body.id)),
});

const searchedBody = bodySchema({
  start: field.i64('Only notes that end at or after this timestamp.'),
  end: field.i64('Only notes that start at or before this timestamp.'),
  kind: field.text('Only notes of exactly this kind.'),
  metric: field.text('Only notes on this metric.'),
  labels: field.labels('Only notes with these labels.'),
  op: opField,
  limit: field.limit('How many notes at most.'),
});

export const queryAnnotations = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/query',
  scope: 'read',
  tag: 'annotate',
  summary: 'The notes that share a moment with a time range, by start, then id.',
  body: jsonBody(searchedBody),
  answer: { purpose: 'The notes.', schema: annotation, isArray: true },
  errors: ['invalid_time_range'],
  example: {
    body: { start: 1700000000000, labels: { host: 'a' }, op: 'or', limit: 10 },
    answer: [stored],
  },
  handler: ({ body }, { operations }) => streamReply(operations.findAnnotations(body)),
});
