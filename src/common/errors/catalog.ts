/**
 * Every error code: its HTTP status, its meaning, and whether a retry of the same request may
 * succeed. A code never changes its meaning. docs/errors.md is made from this table.
 *
 * The names in native/common/base/status.h are the codes that native code can raise.
 */

interface CatalogEntry {
  readonly status: number;
  readonly meaning: string;
  /** A temporary condition: the answer has Retry-After, and clients obey it. */
  readonly retry: boolean;
}

function entry(status: number, meaning: string): CatalogEntry {
  return { status, meaning, retry: false };
}

/** A temporary error. */
function passing(status: number, meaning: string): CatalogEntry {
  return { status, meaning, retry: true };
}

export const catalog = {
  // The body and its parts.
  invalid_json: entry(400, 'The text is not JSON, not the kind of JSON expected, or too complex.'),
  invalid_record: entry(
    400,
    'The body is well formed, but has an invalid sample, or the wrong format for the route.',
  ),
  invalid_encoding: entry(400, 'The compressed body is damaged or cut short.'),
  invalid_request: entry(400, 'The HTTP request itself is malformed or ambiguous.'),
  line_too_long: entry(413, 'An ingest line is longer than max_line_bytes.'),
  body_timeout: entry(
    408,
    'The body arrives too slowly; `body_timeout_ms` is the longest silence.',
  ),
  payload_too_large: entry(413, 'The body is larger than the limit, after decompression.'),
  unsupported_encoding: entry(
    415,
    'The server cannot read the Content-Encoding, or the window of a zstd body.',
  ),
  unsupported_media_type: entry(415, 'The route does not accept the Content-Type.'),
  length_required: entry(411, 'The request needs a Content-Length header.'),

  // Parameters.
  invalid_start: entry(400, '`start` is not a 64-bit integer.'),
  invalid_end: entry(400, '`end` is not a 64-bit integer.'),
  invalid_series_id: entry(400, '`series_id` is not an unsigned 64-bit integer.'),
  invalid_metric: entry(400, '`metric` is not a string, or not a valid name.'),
  invalid_series: entry(400, '`series` is not a string.'),
  invalid_labels: entry(
    400,
    '`labels` is not an object of scalar values, or too large; of a CSV table: not a list of `KEY:VALUE`.',
  ),
  invalid_tags: entry(400, '`tags` is not an object of scalar values.'),
  invalid_precision: entry(400, '`precision` is not a unit that the route accepts.'),
  invalid_on_error: entry(400, '`on_error` is not one of skip, fail.'),
  invalid_at: entry(400, '`at` is not an integer, or lines of this format have no use for it.'),
  invalid_format: entry(400, '`format` is not one of the formats of this route.'),
  invalid_header: entry(400, '`header` is not one of none, skip, use.'),
  invalid_skip_blanks: entry(400, '`skip_blanks` is not `all`, `values` or `none`.'),
  invalid_columns: entry(400, '`columns` is not valid, or the header lacks required columns.'),
  missing_columns: entry(400, '`columns` is required unless a header names the columns.'),
  invalid_query_string: entry(400, 'The query string is not percent-encoded UTF-8.'),
  missing_start: entry(400, '`start` is required.'),
  missing_end: entry(400, '`end` is required.'),
  missing_selector: entry(400, 'One of `series_id`, `metric` or `series` is required.'),
  invalid_limit: entry(400, '`limit` is not an integer of at least 0.'),
  invalid_op: entry(400, '`op` is not one of and, or.'),
  invalid_key: entry(400, '`key` is not a string, or not the name of a label.'),
  invalid_prefix: entry(400, '`prefix` is not a string.'),
  invalid_inactive_before_ts: entry(400, '`inactive_before_ts` is not a 64-bit integer.'),
  invalid_only: entry(400, '`only` is not one of inactive, undocumented.'),
  invalid_sort: entry(400, '`sort` is not an order that the route supports.'),
  invalid_counted: entry(400, '`counted` is not one of value, series_count.'),
  invalid_after: entry(400, '`after` has the wrong type, or does not fit the order.'),
  invalid_baseline_start: entry(400, '`baseline_start` is not a 64-bit integer.'),
  invalid_baseline_end: entry(400, '`baseline_end` is not a 64-bit integer.'),
  invalid_aggregate: entry(400, '`aggregate` is not one of the seven aggregates.'),
  invalid_kind: entry(400, '`kind` is not a string, or not a valid name.'),
  invalid_name: entry(
    400,
    '`name` or `as_of` is missing, or not a valid name of a snapshot or a board.',
  ),
  missing_name: entry(400, '`name` is required.'),
  invalid_range: entry(400, '`range` is not a string of one line, or is too long.'),
  invalid_refresh: entry(400, '`refresh` is not a string of one line, or is too long.'),
  invalid_panels: entry(400, '`panels` is not a list of panels, or is too large.'),
  missing_panels: entry(400, '`panels` is required.'),
  invalid_flag: entry(400, '`dry_run`, `history` or `accept_loss` is neither true nor false.'),
  invalid_parameter: entry(400, 'A parameter of a foreign protocol has an invalid value.'),
  unknown_field: entry(400, 'The request has a field that this route does not know.'),
  invalid_part: entry(400, '`part` is not a part that can be inspected.'),
  invalid_number: entry(400, '`number` is not the number of a segment or of a WAL file.'),
  missing_id: entry(400, '`id` is required.'),
  invalid_id: entry(400, '`id` is not an unsigned 64-bit integer.'),
  invalid_directory: entry(400, '`directory` is missing, or not the absolute path of a directory.'),
  invalid_title: entry(400, '`title` is not a string of one line, or is too long.'),
  invalid_message: entry(400, '`message` is not a string, or is too long.'),
  missing_tags: entry(400, '`tags` is required.'),
  missing_metric: entry(400, '`metric` is required.'),
  missing_key: entry(400, '`key` is required.'),
  missing_baseline_start: entry(400, '`baseline_start` is required.'),
  missing_baseline_end: entry(400, '`baseline_end` is required.'),
  missing_aggregate: entry(400, '`aggregate` is required.'),
  missing_kind: entry(400, '`kind` is required.'),
  missing_title: entry(400, '`title` is required.'),
  invalid_time_range: entry(400, '`start` is after `end`.'),

  // The query language.
  query_required: entry(400, 'No query text was sent.'),
  parse_failed: entry(400, 'The query has a syntax error: an unexpected word or literal.'),
  validation_failed: entry(400, 'The query is well formed but has no valid meaning.'),
  unsupported_statement: entry(400, 'The statement is not supported.'),
  unsupported_fill: entry(400, 'The FILL is not supported.'),
  unsupported_tag_filter: entry(400, 'The condition on labels is not supported.'),
  unsupported_grouping: entry(400, 'The GROUP BY is not supported.'),
  unsupported_aggregate: entry(400, 'The aggregate is not supported.'),
  unsupported_projection: entry(400, 'The SELECT list is not supported.'),
  unsupported_ordering: entry(400, 'The ORDER BY is not supported.'),
  unsupported_predicate: entry(400, 'The condition is not supported.'),
  unsupported_expression: entry(400, 'The expression is not supported.'),
  unsupported_function: entry(400, 'The function is not supported.'),
  query_too_large: entry(413, 'The query text is longer than 65,536 bytes.'),
  query_limit_exceeded: entry(422, 'The query reads or returns more than a limit allows.'),
  query_timeout: entry(504, 'The query did not end within query_timeout_ms.'),
  too_many_queries: passing(503, 'max_concurrent_queries are running.'),
  query_cancelled: entry(503, 'An operator cancelled the query.'),
  shadow_mismatch: entry(500, 'The two query engines gave different answers.'),
  execution_error: entry(500, 'The query failed while it ran.'),

  // Access and routing.
  unauthorized: entry(401, 'The token is missing or wrong.'),
  forbidden_scope: entry(403, 'The token is known, but lacks the scope that the request needs.'),
  forbidden: entry(403, 'This address may not use the route.'),
  forbidden_origin: entry(403, 'A page of another site, not in `cors_origins`, sent the request.'),
  forbidden_host: entry(403, 'Without a token: Host is neither an address nor in `hosts`.'),
  not_found: entry(404, 'No such path.'),
  method_not_allowed: entry(405, 'The path exists, but not with this method.'),
  series_not_found: entry(404, 'The selector matches no series.'),

  // Stored data.
  metric_descriptor_conflict: entry(409, 'kind, unit or description differ from the stored ones.'),
  ambiguous_selector: entry(409, 'The selector matches more than one series.'),
  series_limit: entry(
    422,
    'A new series exceeds a limit, or memory has no room for it or its description. Its line or ' +
      'point is rejected whole, including known series.',
  ),

  // The server's state.
  ingest_backpressure: passing(503, 'Too much data waits to be written.'),
  storage_unavailable: entry(
    503,
    'The database is read-only, for example because the disk is full.',
  ),
  fenced: entry(
    503,
    'Another server owns the database in the bucket now. This one is read-only until a restart.',
  ),
  bucket_unavailable: passing(
    503,
    'The bucket did not take the write in time. It may be stored; send it again.',
  ),
  storage_corrupt: entry(503, 'The answer needs a damaged file.'),
  resources_exhausted: passing(503, 'No file descriptors, memory or segment files are left.'),
  closed: passing(503, 'The database is closed or closing.'),
  io: entry(503, 'The operating system refused a file operation.'),
  reload_unavailable: entry(503, 'The program does not support reload.'),
  request_timeout: passing(503, 'The server did not finish in time.'),
  internal_error: entry(500, 'A fault in the server.'),
  locked: entry(409, 'Another process or another copy has the directory open.'),
  snapshot_exists: entry(409, 'A snapshot of that name already exists.'),
  annotation_not_found: entry(404, 'No annotation has that id, or it was deleted.'),
  board_not_found: entry(404, 'No board has that id, or it was deleted.'),
  board_limit: entry(422, 'The number of boards is at its limit.'),
  snapshot_not_found: entry(404, 'No snapshot has that name.'),
  state_not_found: entry(404, 'History does not reach back to that time or commit.'),
  invalid_argument: entry(500, 'A fault in the server: an invalid call.'),

  // At start and on a reload.
  invalid_configuration: entry(400, 'A setting is unknown or has a bad value.'),

  // Only at start.
  too_few_descriptors: entry(500, 'The process may open too few files and sockets.'),
  listen_failed: entry(500, 'The server cannot listen on the address.'),
  unit_mismatch: entry(500, 'The data directory has another timestamp unit.'),
} as const satisfies Readonly<Record<string, CatalogEntry>>;

export type ErrorCode = keyof typeof catalog;

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(catalog, text);
}

export function statusOf(code: ErrorCode): number {
  return catalog[code].status;
}
