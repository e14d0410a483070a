/** Shared parts of routes that read past states. */

import { parameter, querySchema } from '../fields/query-schema.js';

import type { ErrorCode } from '../../errors/catalog.js';

export const asOfParameter = parameter.text(
  'Past state to read instead of the current one: a snapshot name, `@` and a commit number, or a time in the database’s unit or ISO 8601.',
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
