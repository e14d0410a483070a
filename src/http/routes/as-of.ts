/** Reads of a state of the past, as far as routes have them in common. */

import { parameter, querySchema } from '../fields/query-schema.js';

import type { ErrorCode } from '../../errors/catalog.js';

export const asOfParameter = parameter.text(
  'Past state to read instead of the current one: a snapshot name, `@` and a commit number, or a time in the database’s unit or ISO 8601.',
);

export const asOfQuery = querySchema({ as_of: asOfParameter }, { refusesUnknown: true });

/** What naming a state can be refused with, and opening it. */
export const asOfErrors: readonly ErrorCode[] = [
  'snapshot_not_found',
  'state_not_found',
  'invalid_name',
  'too_many_queries',
  'query_limit_exceeded',
  'storage_corrupt',
];
