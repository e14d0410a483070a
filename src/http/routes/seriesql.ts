/** Runs SeriesQL statements. */

import { requireScope } from '../auth/token.js';
import { AppError } from '../../common/errors/app-error.js';
import { visibleBeginning } from '../../common/model/visible-text.js';
import { isZone, noZone } from '../../common/model/zone.js';
import { contentTypes, kQuerySizeMax, mayStore, tooLarge } from '../../operations/query.js';

import { parseJsonObject } from '../fields/json-body.js';
import * as json from '../fields/json-schema.js';
import { parameter, querySchema } from '../fields/query-schema.js';
import { textBody } from '../route/route-body.js';
import { writeErrors } from '../route/write-errors.js';
import { choosesFormat } from './accept.js';
import { asOfErrors, asOfParameter, stateHeaders } from './as-of.js';
import { publicRoute } from './public-route.js';

/** A query times out by itself; after this extra time the server is faulty. */
const kGraceMs = 5000;

/** docs/seriesql.md explains each member. */
const queryStats = json.object(
  {
    parse_ms: json.milliseconds,
    validate_ms: json.milliseconds,
    plan_ms: json.milliseconds,
    execute_ms: json.milliseconds,
    rows_emitted: json.count,
    rows_scanned: json.count,
    series_scanned: json.count,
    chunks_scanned: json.count,
    chunks_skipped: json.count,
    bytes_read: json.count,
    execution_mode: { enum: ['legacy', 'shadow', 'compiled'] },
    legacy_fallback: json.flag,
    fallback_reason: json.text,
    selector_mode: { enum: ['exact', 'metric_family', 'none'] },
    selected_series_count: json.count,
    as_of: json.text,
    warnings: json.texts,
    operators: json.listOf(
      json.object({ name: json.text, rows_out: json.count, elapsed_ms: json.milliseconds }),
    ),
  },
  ['fallback_reason', 'as_of', 'warnings', 'operators'],
);

const queryResult = json.named(
  'QueryResult',
  json.object({
    columns: json.listOf(json.object({ name: json.text, type: json.text, nullable: json.flag })),
    rows: json.listOf({ type: 'array', items: {} }),
    stats: queryStats,
  }),
);

/** A body whose text needs no JSON parser. Most bodies match. */
const plainBody =
  /^[ \t\n\r]*\{[ \t\n\r]*"query"[ \t\n\r]*:[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*\}[ \t\n\r]*$/;

/**
 * A body is a plain statement or JSON, since no statement begins with a brace. Throws
 * `invalid_json`, `query_required`, `parse_failed`.
 */
function statementOf(body: string): string {
  if (/^query=/.test(body)) {
    const message =
      'line 1, column 1: the body is the statement itself, not a form: leave out query=';
    throw new AppError('parse_failed', message);
  }
  if (!/^\s*\{/.test(body)) return body;
  const plain = plainBody.exec(body)?.[1];
  if (plain !== undefined) return plain;
  const { query } = parseJsonObject(Buffer.from(body));
  if (typeof query === 'string') return query;
  throw new AppError(
    'query_required',
    'the field "query" of the body must be the statement, a string',
  );
}

function checkedZone(name: string | undefined): string | null {
  if (name === undefined || isZone(name)) return name ?? null;
  throw new AppError('validation_failed', noZone(name));
}

export const seriesql = publicRoute({
  method: 'POST',
  path: '/api/v1/seriesql',
  scope: 'token',
  tag: 'query',
  summary: 'Runs one statement of SeriesQL.',
  query: querySchema(
    {
      as_of: asOfParameter,
      tz: parameter.text(
        'Time zone, such as `Europe/Berlin`, of the times and days in the statement that name none; UTC when left out.',
      ),
    },
    { refusesUnknown: true },
  ),
  body: textBody({
    mediaType: 'text/plain',
    purpose:
      'The statement, at most 65,536 bytes, or a JSON object with the statement as `query`. See docs/seriesql.md.',
    sizeMax: kQuerySizeMax,
    tooLarge,
    notUtf8: (cause) =>
      new AppError('parse_failed', 'line 1, column 1: the query is not UTF-8', { cause }),
  }),
  timeLimit: {
    setting: 'query_timeout_ms',
    ms: ({ operations }) => operations.queryTimeoutMs + kGraceMs,
  },
  answer: {
    purpose:
      'Columns, rows and stats; with Accept also text/csv and application/x-ndjson, which have no stats. The header `Warning` repeats `stats.warnings` in each form.',
    otherMediaTypes: ['text/csv', 'application/x-ndjson'],
    schema: queryResult,
  },
  errors: [
    'query_required',
    'invalid_json',
    'parse_failed',
    'validation_failed',
    ...(['unsupported_statement', 'unsupported_fill', 'unsupported_tag_filter'] as const),
    ...(['unsupported_grouping', 'unsupported_aggregate', 'unsupported_projection'] as const),
    ...(['unsupported_ordering', 'unsupported_predicate', 'unsupported_expression'] as const),
    'unsupported_function',
    ...asOfErrors,
    'series_not_found',
    'ambiguous_selector',
    'query_too_large',
    'shadow_mismatch',
    'execution_error',
    'query_timeout',
    'query_cancelled',
    'series_limit',
    ...writeErrors,
  ],
  limits: [
    'max_concurrent_queries',
    'max_query_rows',
    'max_query_series',
    'max_query_samples',
    'memory_limit_bytes',
    // INSERT stores lines, like ingest does.
    ...(['max_line_bytes', 'max_future_skew', 'max_series', 'max_series_per_metric'] as const),
  ],
  example: {
    body: 'select time, value from cpu.load where time >= 0 limit 2',
    answer: {
      columns: [
        { name: 'time', type: 'timestamp', nullable: false },
        { name: 'value', type: 'float', nullable: true },
      ],
      rows: [
        [1700000000000, 0.5],
        [1700000060000, 0.25],
      ],
      stats: {
        parse_ms: 0.028,
        execute_ms: 0.709,
        rows_emitted: 2,
        rows_scanned: 2,
        series_scanned: 1,
        execution_mode: 'compiled',
      },
    },
    isSketch: true,
  },
  handler: async ({ query: { as_of: asOf, tz }, body, request }, { operations }) => {
    const format = choosesFormat(request.head.accept);
    const statement = statementOf(body);
    if (mayStore(statement)) request.promiseAnswer();
    const query = operations.query(statement, {
      format,
      asOf: asOf ?? null,
      zone: checkedZone(tz),
      asker: request,
      require: (access) => {
        requireScope(request.caller, access);
      },
    });
    request.onAbandoned(() => {
      query.cancel();
    });
    request.describe(() => ({ statement: visibleBeginning(statement), ...query.figures() }));
    const contentType = contentTypes[format];
    const rows = query.whole ?? (await query.started);
    for (const one of query.warnings()) request.warn(one);
    if (asOf === undefined) return { status: 200, contentType, body: rows };
    return { status: 200, contentType, headers: await stateHeaders(operations, asOf), body: rows };
  },
});
