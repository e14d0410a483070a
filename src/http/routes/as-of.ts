/** Shared parts of routes that read past states. */

import { parameter, querySchema } from '../fields/query-schema.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { Operations } from '../../operations/operations.js';
import type { Reply } from '../route/reply.js';

export const asOfParameter = parameter.text(
  'Past state to read instead of the current one: a snapshot name, `@` and a commit number, or a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says which commit a time reads, and what it lacks.',
);

export const asOfQuery = querySchema({ as_of: asOfParameter }, { refusesUnknown: true });

/** The codes for naming and opening a state. */
export const asOfErrors: readonly ErrorCode[] = [
  'snapshot_not_found',
  'state_not_found',
  'invalid_name',
  'too_many_queries',
  'query_limit_exceeded',
  'storage_corrupt',
];

const kStateHeader = 'seriesdb-as-of';

/** Says which state is read; nothing where its name says that. Rejects with `asOfErrors`. */
export async function stateHeaders(
  operations: Operations,
  asOf: string,
): Promise<NonNullable<Reply['headers']>> {
  const note = await operations.stateNote(asOf);
  return note === '' ? [] : [[kStateHeader, note.replaceAll(/[^ -~]+/g, ' ')]];
}

/** The reply, and which state of the past it reads where one is asked for. */
export function asOfReply(
  operations: Operations,
  asOf: string | undefined,
  reply: () => Reply,
): Reply | Promise<Reply> {
  if (asOf === undefined) return reply();
  return stateHeaders(operations, asOf).then((headers) => ({ ...reply(), headers }));
}
