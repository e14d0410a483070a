/** The requests that store lines or a table. */

import { queryString } from './query-string.js';

import type { ImportCsvParameters, IngestParameters } from './api-types.js';

type SentBody = string | Uint8Array<ArrayBuffer>;

export function ingestCall(body: SentBody, { precision, on_error, format, at }: IngestParameters) {
  return {
    method: 'POST',
    path: `/api/v1/ingest${queryString({ precision, on_error, format, at: at?.toString() })}`,
    body,
    contentType: format === 'influx' ? 'text/plain' : 'application/x-ndjson',
    // The last write of a timestamp wins, so a repeated request changes nothing. Lines without a
    // time would get another one.
    isRepeatable: format !== 'influx' || at !== undefined,
  } as const;
}

export function importCsvCall(table: SentBody, parameters: ImportCsvParameters) {
  return {
    method: 'POST',
    path: `/api/v1/import/csv${queryString({ ...parameters })}`,
    body: table,
    contentType: 'text/csv',
    // Every row has a time, and the last write of a timestamp wins.
    isRepeatable: true,
  } as const;
}
