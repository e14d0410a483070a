/** Errors of every route that changes the database. */

import type { ErrorCode } from '../../common/errors/catalog.js';

/** The database takes no writes now. */
export const writeErrors: readonly ErrorCode[] = [
  'ingest_backpressure',
  'storage_unavailable',
  'fenced',
  'bucket_unavailable',
];
