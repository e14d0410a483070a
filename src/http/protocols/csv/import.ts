/** Ingest of CSV tables. */

import { AppError } from '../../../common/errors/app-error.js';
import * as json from '../../fields/json-schema.js';
import { invalidCode } from '../../fields/field-codes.js';
import { defaultsTo, parameter, querySchema } from '../../fields/query-schema.js';
import { jsonReply } from '../../route/reply.js';
import { samplesBody } from '../../route/stored-body.js';
import { ingestReport, onError, printReport, storingLimits } from '../../route/stored-report.js';
import { writeErrors } from '../../route/write-errors.js';
import { timestampUnits, type TimestampUnit } from '../../../common/model/timestamp-unit.js';
import { columnsInPlace, parseColumns, parseLabels, type SaidColumn } from './columns.js';
import { csvRoute } from './csv-route.js';
import { HeadedIngest, refuseGzip } from './headed-ingest.js';
import { columnsOfHeader, refuseSeparatorLine, type HeadedColumns } from './header.js';

import type { QueryField } from '../../fields/query-schema.js';
import type { Ingest } from '../../../operations/ingest.js';
import type { Operations } from '../../../operations/operations.js';

const columns: QueryField<readonly SaidColumn[]> = {
  isRequired: false,
  purpose:
    'Description of the columns: a list of `time[:NAME][:UNIT]`, `value:METRIC`, `label:KEY`, `metric`, `kind`, `unit`, `description`, `skip` and `empty`. With `header=use` the names refer to the header.',
  schema: json.text,
  codeOf: invalidCode,
  read: parseColumns,
};

const labels: QueryField<readonly (readonly [string, string])[]> = {
  isRequired: false,
  purpose:
    'Labels of all rows: a list of `KEY:VALUE`. A cell with a label of such a key takes precedence.',
  schema: json.text,
  codeOf: invalidCode,
  read: parseLabels,
};

export const importCsv = csvRoute({
  method: 'POST',
  path: '/api/v1/import/csv',
  scope: 'write',
  tag: 'write',
  summary: 'Stores the samples of a CSV table, all or nothing; on disk before the answer.',
  query: querySchema(
    {
      columns,
      labels,
      header: defaultsTo(
        parameter.choice(
          ['none', 'skip', 'use'],
          'Whether the first line is a header: `skip` ignores it, `use` takes column names from it.',
        ),
        'none',
      ),
      precision: parameter.choice(
        timestampUnits,
        'Unit of integer times, if `columns` or the header has none.',
      ),
      skip_blanks: defaultsTo(
        parameter.choice(
          ['all', 'values', 'none'],
          'Blank text that is skipped: lines and values of spaces (`all`), or `values` alone. Other blank text makes its row invalid. Empty lines and empty cells are always skipped.',
        ),
        'all',
      ),
      on_error: onError,
    },
    { refusesUnknown: true },
  ),
  body: samplesBody({
    mediaType: 'text/csv',
    purpose: 'Rows as in RFC 4180; may be compressed with gzip, zstd or snappy.',
  }),
  answer: { purpose: 'The number of stored samples.', schema: ingestReport },
  errors: [
    'missing_columns',
    'invalid_record',
    'metric_descriptor_conflict',
    'line_too_long',
    'series_limit',
    ...writeErrors,
  ],
  limits: storingLimits,
  example: {
    query: { columns: 'time:ts:ms,label:host,value:disk.used,value:disk.free', header: 'skip' },
    body: 'time,host,used,free\n1700000000000,a,12.5,87.5\n1700000060000,a,,87\n',
    answer: { ingested: 3 },
  },
  handler: ({ query, body }, { operations }) =>
    body(ingestOf(query, operations)).map((report) =>
      jsonReply(printReport(report, query.on_error)),
    ),
});

interface CsvWishes {
  readonly columns: readonly SaidColumn[] | undefined;
  readonly labels: readonly (readonly [string, string])[] | undefined;
  readonly skip_blanks: 'all' | 'values' | 'none';
  readonly header: 'none' | 'skip' | 'use';
  readonly precision: TimestampUnit | undefined;
  readonly on_error: 'skip' | 'fail';
}

function ingestOf(asked: CsvWishes, operations: Operations): Ingest {
  const begin = (headed: HeadedColumns, linesBefore: number): Ingest =>
    operations.ingest({
      precision: headed.unit ?? asked.precision ?? operations.timestampUnit,
      isLenient: asked.on_error === 'skip',
      format: {
        kind: 'csv',
        columns: headed.columns,
        linesBefore,
        labels: (asked.labels ?? []).flat(),
        skippedBlanks: asked.skip_blanks,
      },
    });
  if (asked.header === 'use') {
    return new HeadedIngest((header, lines) =>
      begin(columnsOfHeader(header, asked.columns), lines),
    );
  }
  const known = inPlace(asked.columns);
  const refuses = asked.on_error === 'fail';
  if (asked.header === 'none') return withFirstBytes(begin(known, 0), { refuses });
  return new HeadedIngest((header, lines) => {
    if (refuses) refuseSeparatorLine(header);
    return begin(known, lines);
  });
}

/** So long Excel's `sep=;` with a byte order mark is at most. */
const kLookedAtSize = 16;

/** Says of a table without a header what it is, where its first bytes are no row. */
function withFirstBytes(ingest: Ingest, { refuses }: { readonly refuses: boolean }): Ingest {
  let isFirst = true;
  return {
    write: (chunk, ms) => {
      if (isFirst && chunk.length > 0) {
        isFirst = false;
        refuseGzip(chunk);
        const text = Buffer.from(chunk.subarray(0, kLookedAtSize)).toString();
        // A line that the first piece of the body cuts may be a row: `sep=1` of `sep=12,…`.
        if (refuses && text.includes('\n')) refuseSeparatorLine(text.split('\n')[0] ?? '');
      }
      return ingest.write(chunk, ms);
    },
    commit: () => ingest.commit(),
    abort: () => {
      ingest.abort();
    },
  };
}

function inPlace(said: readonly SaidColumn[] | undefined): HeadedColumns {
  if (said === undefined) {
    throw new AppError('missing_columns', 'columns is required unless a header names the columns');
  }
  const unit = said.find(({ kind }) => kind === 'time')?.timeUnit ?? null;
  return { columns: columnsInPlace(said), unit };
}
