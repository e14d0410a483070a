/** Shared parts of routes that read past states. */

import { parameter, querySchema } from '../fields/query-schema.js';

import type { ErrorCode } from '../../common/errors/catalog.js';
import type { Operations } from '../../operations/operations.js';
import type { Reply } from '../route/reply.js';

export const asOfParameter = parameter.text(
  'Past state to read instead of the current one: a snapshot name, `@` and a commit number, or a time in the database’s unit or ISO 8601. The header `seriesdb-as-of` of the answer says which commit a time reads, and what it lacks.',
);

export const asOfQuery = querySchema({ as_of: asOfParameter }, { refusesUnknown: true });

/** Error codes of naming and opening a past state. */
export const asOfErrors: readonly ErrorCode[] = [
  'snapshot_not_found',
  'state_not_found',
  'invalid_name',
  'too_many_queries',
  'query_limit_exceeded',
  'storage_corrupt',
];

const kStateHeader = 'seriesdb-as-of';

/**
 * The header that names the past state; none if `asOf` already identifies it. Rejects with
 * `asOfErrors`.
 */
export async function stateHeaders(
  operations: Operations,
  asOf: string,
): Promise<NonNullable<Reply['headers']>> {
  const note = await operations.stateNote(asOf);
  return note === '' ? [] : [[kStateHeader, note.replaceAll(/[^ -~]+/g, ' ')]];
}

/** The reply, with the header of its past state if `asOf` is set. */
export function asOfReply(
  operations: Operations,
  asOf: string | undefined,
  reply: () => Reply,
): Reply | Promise<Reply> {
  if (asOf === undefined) return reply();
  return stateHeaders(operations, asOf).then((headers) => ({ ...reply(), headers }));
}
