/** Routes of annotations. */

import { bodySchema, field, opField, required } from '../fields/body-schema.js';
import * as json from '../fields/json-schema.js';
import { jsonReply, streamReply } from '../route/reply.js';
import { jsonBody } from '../route/route-body.js';
import { writeErrors } from '../route/write-errors.js';
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
  kind: required(field.text('Kind of the annotation; free text.')),
  title: required(field.text('Short text of the annotation.')),
  message: field.text('Full text of the annotation.'),
  metric: field.text('The metric that the annotation describes.'),
  labels: field.labels('Labels of the series that the annotation describes.'),
  start: required(field.ts('First timestamp of the annotated range.')),
  end: field.ts('Last timestamp of the annotated range; `start` if absent.'),
};

export const writeAnnotation = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/write',
  scope: 'write',
  tag: 'annotate',
  summary: 'Stores an annotation of a time range; on disk before the answer.',
  body: jsonBody(bodySchema(writtenFields)),
  answer: { status: 201, purpose: 'The stored annotation.', schema: annotation },
  errors: ['invalid_time_range', ...writeErrors],
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

const idField = required(field.u64('The id of the annotation.'));
const ofChanges = ['annotation_not_found', ...writeErrors] as const;

export const updateAnnotation = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/update',
  scope: 'write',
  tag: 'annotate',
  summary: 'Replaces an annotation and keeps its id; on disk before the answer.',
  body: jsonBody(bodySchema({ id: idField, ...writtenFields })),
  answer: { purpose: 'The stored annotation.', schema: annotation },
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
  summary: 'Deletes an annotation; on disk before the answer. Its id is never reused.',
  body: jsonBody(bodySchema({ id: idField })),
  answer: { purpose: 'The deleted annotation.', schema: annotation },
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
  start: field.ts('Only annotations that end at or after this timestamp.'),
  end: field.ts('Only annotations that start at or before this timestamp.'),
  kind: field.text('Only annotations of exactly this kind.'),
  metric: field.text('Only annotations of this metric.'),
  labels: field.labels('Only annotations with these labels.'),
  op: opField,
  limit: field.limit('Maximum number of annotations.'),
});

export const queryAnnotations = publicRoute({
  method: 'POST',
  path: '/api/v1/annotations/query',
  scope: 'read',
  tag: 'annotate',
  summary: 'Annotations that overlap a time range, sorted by start, then id.',
  body: jsonBody(searchedBody),
  answer: { purpose: 'The annotations.', schema: annotation, isArray: true },
  errors: ['invalid_time_range'],
  example: {
    body: { start: 1700000000000, labels: { host: 'a' }, op: 'or', limit: 10 },
    answer: [stored],
  },
  handler: ({ body }, { operations }) => streamReply(operations.findAnnotations(body)),
});
