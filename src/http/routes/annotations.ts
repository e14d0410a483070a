/** POST /api/v1/annotations/write and POST /api/v1/annotations/query */

import { bodySchema, field, opField, readBody, required } from '../body-schema.js';
import { jsonReply, streamReply, type Reply } from '../reply.js';

import type { Request } from '../request.js';
import type { RouteContext } from '../route.js';

export const annotationBody = bodySchema({
  kind: required(field.text('What sort of note it is; free text.')),
  title: required(field.text('What the note says, in short.')),
  message: field.text('What the note says, in full.'),
  metric: field.text('The metric that the note is about.'),
  labels: field.labels('What the note is about.'),
  start: required(field.i64('The first timestamp of the time that the note is about.')),
  end: field.i64('The last timestamp of that time; `start` if absent.'),
});

export const annotationQueryBody = bodySchema({
  start: field.i64('Only notes that end at or after this timestamp.'),
  end: field.i64('Only notes that start at or before this timestamp.'),
  kind: field.text('Only notes of exactly this kind.'),
  metric: field.text('Only notes on this metric.'),
  labels: field.labels('Only notes with these labels.'),
  op: opField,
  limit: field.limit('How many notes at most.'),
});

export async function writeAnnotationRoute(
  request: Request,
  context: RouteContext,
): Promise<Reply> {
  const body = await readBody(request, annotationBody);
  return jsonReply(await context.operations.annotate(body), 201);
}

export async function queryAnnotationsRoute(
  request: Request,
  context: RouteContext,
): Promise<Reply> {
  const body = await readBody(request, annotationQueryBody);
  return streamReply(context.operations.findAnnotations(body));
}
