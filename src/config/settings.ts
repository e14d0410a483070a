/**
 * The settings: one table with every key, its kind, its default and what it is for. Files,
 * environment and flags all go through it, the type of the settings is made from it, and so is
 * docs/configuration.md.
 */

import { kDayMs, kHourMs } from '../model/duration.js';

import type { SettingRow, SettingValue } from './setting-kind.js';

const kMiB = 1024 * 1024;
const kCountMax = 2 ** 32 - 1;
const kSizeMax = 2 ** 46;
const kYearMs = 365 * kDayMs;

const table = {
  listen: {
    type: { kind: 'address' },
    fallback: '127.0.0.1:8080',
    purpose: 'Address of the public API, `host:port`.',
  },
  // Null: see listenerCount().
  listeners: {
    type: { kind: 'integer', min: 1, max: 64 },
    fallback: null,
    purpose:
      'Threads that serve the connections of the public API, each a share of them. One for each ' +
      'core, at most four, when left out.',
  },
  data_dir: {
    type: { kind: 'text' },
    fallback: 'seriesdb-data',
    purpose: 'Directory that holds the database; made when it is not there.',
    native: 'directory',
  },
  // Null: the API is open.
  auth_token: {
    type: { kind: 'text', isSecret: true },
    fallback: null,
    purpose:
      'Token that the routes under `/api/`, `/write`, `/query` and `/v1/metrics` ask for; visible ' +
      'ASCII without spaces. ' +
      'Leave it out to run open.',
    isLive: true,
  },
  // Null: there are no tokens but those of the settings.
  tokens_file: {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'File of named tokens with scopes, beside `auth_token` and `admin.token`; see security.md. ' +
      'With it both listeners ask for a token. The file is read again on reload.',
    isLive: true,
  },
  open_status: {
    type: { kind: 'boolean' },
    fallback: true,
    purpose:
      'Whether `/status` and `/metrics` answer without a token, also where the others ask for one; ' +
      'false: with the scope `read`.',
    isLive: true,
  },
  log_level: {
    type: { kind: 'choice', choices: ['debug', 'info', 'warn', 'error'] },
    fallback: 'info',
    purpose: 'The least important log lines that are written.',
    isLive: true,
  },
  timestamp_unit: {
    type: { kind: 'choice', choices: ['s', 'ms', 'us', 'ns'] },
    fallback: 'ms',
    purpose: 'Unit of every `ts`, fixed when the data directory is made.',
    native: 'timestampUnit',
  },
  fsync: {
    type: { kind: 'choice', choices: ['always', 'interval', 'none'] },
    fallback: 'always',
    purpose: 'What an acknowledgement promises: on disk, soon on disk, or left to the kernel.',
    native: 'fsync',
  },
  fsync_interval_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 1000,
    purpose: 'Longest time between syncs with `fsync = "interval"`.',
    native: 'fsyncIntervalMs',
  },
  memtable_max_bytes: {
    type: { kind: 'size', min: 64 * 1024, max: kSizeMax },
    fallback: 128 * kMiB,
    purpose: 'Data in memory is written to a segment when it reaches this size.',
    isLive: true,
    native: 'memtableMaxBytes',
  },
  flush_interval_ms: {
    type: { kind: 'integer', min: 0, max: kYearMs },
    fallback: kHourMs,
    purpose: 'Data in memory is written to a segment at least this often; 0 is never.',
    isLive: true,
    native: 'flushIntervalMs',
  },
  history_keep_ms: {
    type: { kind: 'integer', min: 0, max: kYearMs },
    fallback: kHourMs,
    purpose: 'States that were the last one so lately can be read; 0 is none.',
    isLive: true,
    native: 'historyKeepMs',
  },
  memory_limit_bytes: {
    type: { kind: 'size', min: kMiB, max: kSizeMax },
    fallback: 1024 * kMiB,
    purpose:
      'Memory of the storage; at it ingest answers 503, and queries that need more fail. A query may hold a quarter of it in texts.',
    isLive: true,
    native: 'memoryLimitBytes',
  },
  max_line_bytes: {
    type: { kind: 'size', min: 64, max: 1024 * kMiB },
    fallback: 65_536,
    purpose: 'Longest ingest line; the default is not more than `max_body_bytes`.',
    isLive: true,
    native: 'maxLineBytes',
  },
  max_body_bytes: {
    type: { kind: 'size', min: 64, max: 4095 * kMiB },
    fallback: 64 * kMiB,
    purpose: 'Largest ingest body, after decompression.',
    isLive: true,
    native: 'maxBodyBytes',
  },
  influx_separator: {
    type: { kind: 'text' },
    fallback: '.',
    purpose: 'Stands between a measurement and a field of line protocol in the name of a metric.',
    isLive: true,
  },
  // Null: there is no such label.
  influx_database_label: {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'Label that tells the `db` or `bucket` which line protocol was written to. Off when left out.',
    isLive: true,
  },
  otlp_names: {
    type: { kind: 'choice', choices: ['otel', 'prometheus'] },
    fallback: 'otel',
    purpose:
      'How metrics and attributes of OpenTelemetry are called: as they are, or as Prometheus ' +
      'escapes them, with units and `_total`.',
    isLive: true,
  },
  otlp_delta: {
    type: { kind: 'choice', choices: ['reject', 'store'] },
    fallback: 'reject',
    purpose:
      'What is done with sums and histograms of OpenTelemetry that are delta: they are rejected, ' +
      'or stored as gauges.',
    isLive: true,
  },
  otlp_resource_labels: {
    type: { kind: 'list', of: 'attribute name' },
    fallback: [
      ...['service.instance.id', 'service.name', 'service.namespace', 'service.version'],
      ...['cloud.availability_zone', 'cloud.region', 'container.name'],
      ...['deployment.environment', 'deployment.environment.name'],
      ...['k8s.cluster.name', 'k8s.container.name', 'k8s.cronjob.name', 'k8s.daemonset.name'],
      ...['k8s.deployment.name', 'k8s.job.name', 'k8s.namespace.name', 'k8s.pod.name'],
      ...['k8s.replicaset.name', 'k8s.statefulset.name'],
    ],
    purpose:
      'Attributes of resources of OpenTelemetry that become labels of their series; `*` is all. ' +
      'All others are told by `target_info` alone.',
    isLive: true,
  },
  otlp_scope_labels: {
    type: { kind: 'boolean' },
    fallback: false,
    purpose: 'Whether the instrumentation scope of OpenTelemetry is told by labels.',
    isLive: true,
  },
  max_future_skew: {
    type: { kind: 'duration', min: 0, max: 100 * kYearMs },
    fallback: null,
    purpose: 'A `ts` further than this above the clock is refused. Off when left out.',
    isLive: true,
  },
  max_series: {
    type: { kind: 'integer', min: 0, max: kCountMax },
    fallback: 0,
    purpose: 'Most series in the database; 0 is no limit.',
    native: 'maxSeries',
  },
  max_series_per_metric: {
    type: { kind: 'integer', min: 0, max: kCountMax },
    fallback: 0,
    purpose: 'Most series of one metric; 0 is no limit.',
    native: 'maxSeriesPerMetric',
  },
  transport: {
    type: { kind: 'choice', choices: ['auto', 'uws', 'node'] },
    fallback: 'auto',
    purpose:
      'HTTP server: our own over the sockets of Node.js (`auto`, `node`), or uWebSockets.js.',
  },
  // Both or neither. Null: plain HTTP.
  tls_cert: {
    type: { kind: 'text' },
    fallback: null,
    purpose: 'Certificate chain in PEM, for both listeners. The file is read again on reload.',
    isLive: true,
  },
  tls_key: {
    type: { kind: 'text' },
    fallback: null,
    purpose: 'Private key of `tls_cert` in PEM.',
    isLive: true,
  },
  cors_origins: {
    type: { kind: 'list', of: 'origin' },
    fallback: [],
    purpose:
      'Origins whose pages may call the public API from a browser; `*` is any. Empty is off.',
    isLive: true,
  },
  hosts: {
    type: { kind: 'list', of: 'host name' },
    fallback: [],
    purpose:
      'Names, without port, by which a listener without a token may be asked, besides `localhost` ' +
      'and IP addresses.',
    isLive: true,
  },
  ui: {
    type: { kind: 'boolean' },
    fallback: true,
    purpose: 'Whether the built-in page is served at `/`.',
  },
  header_timeout_ms: {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 10_000,
    purpose: 'Longest time for the head of a request. With uWebSockets.js it is always about 10 s.',
  },
  body_timeout_ms: {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 30_000,
    purpose:
      'Longest silence of a client that is sending a body; it must bring 1 KiB/s in the long run.',
    isLive: true,
  },
  answer_timeout_ms: {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 30_000,
    purpose:
      'Longest time between the end of a body and the answer; queries have `query_timeout_ms`.',
    isLive: true,
  },
  reader_timeout_ms: {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 60_000,
    purpose: 'Longest time that a client may refuse to read its answer.',
    isLive: true,
  },
  slow_request_ms: {
    type: { kind: 'integer', min: 0, max: kDayMs },
    fallback: 1000,
    purpose: 'A request that takes this long is logged with level `warn`; 0 is never.',
    isLive: true,
  },
  slow_query_ms: {
    type: { kind: 'integer', min: 0, max: kDayMs },
    fallback: 0,
    purpose:
      'A query that takes this long, in SeriesQL or PromQL, is logged with its text, level `warn`; 0 is never.',
    isLive: true,
  },
  cas_mode: {
    type: { kind: 'choice', choices: ['off', 'dual_write'] },
    fallback: 'dual_write',
    purpose: 'Whether the content-addressed description of the database is written too.',
    native: 'casMode',
  },
  metadata_read_mode: {
    type: { kind: 'choice', choices: ['legacy', 'shadow', 'primary'] },
    fallback: 'primary',
    purpose:
      'From which description the database opens; only `legacy` goes with `cas_mode = "off"`.',
    native: 'metadataReadMode',
  },
  query_compiler_mode: {
    type: { kind: 'choice', choices: ['legacy', 'shadow', 'compiled'] },
    fallback: 'compiled',
    purpose: 'Which engine runs SeriesQL; `shadow` runs both and compares.',
  },
  shadow_mismatch: {
    type: { kind: 'choice', choices: ['log', 'error'] },
    fallback: 'log',
    purpose: 'What a difference in shadow mode does to the query.',
  },
  max_query_rows: {
    type: { kind: 'integer', min: 1, max: kCountMax },
    fallback: 1_000_000,
    purpose:
      'Most rows of a SeriesQL answer, and most rows or groups that a query may hold to sort or fill.',
    isLive: true,
  },
  max_query_series: {
    type: { kind: 'integer', min: 1, max: kCountMax },
    fallback: 1_000_000,
    purpose:
      'Most series of which a query, or a request of remote_read, may read samples, and whose labels Prometheus’ API lists.',
    isLive: true,
  },
  max_query_samples: {
    type: { kind: 'integer', min: 1, max: 2 ** 53 - 1 },
    fallback: 1_000_000_000,
    purpose:
      'Most samples that a query may decode (in SeriesQL its `rows_scanned`, less what a far OFFSET reads again), and that a request of remote_read may be answered with.',
    isLive: true,
  },
  query_timeout_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 30_000,
    purpose: 'Longest time that a SeriesQL query may take, waiting in line included.',
    isLive: true,
  },
  max_query_cells: {
    type: { kind: 'integer', min: 1, max: 2 ** 31 - 1 },
    fallback: 16_777_216,
    purpose:
      'Most values, series times steps, that a query in PromQL may hold at a time; each takes 9 bytes.',
    isLive: true,
  },
  promql_lookback_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 300_000,
    purpose: 'How old a sample may be that a selector of PromQL still takes for the value of now.',
    isLive: true,
  },
  promql_evaluation_interval_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 60_000,
    purpose: 'The step of subqueries of PromQL that name none.',
    isLive: true,
  },
  max_concurrent_queries: {
    type: { kind: 'integer', min: 1, max: 1024 },
    fallback: 16,
    purpose:
      'Most queries at a time, of every kind; more wait up to 2 s. Half as many places are kept for short answers, a quarter for tokens or addresses without a running query.',
    isLive: true,
  },
  allocator: {
    type: { kind: 'choice', choices: ['system', 'small_pool'] },
    fallback: 'system',
    purpose: 'Who serves small blocks of memory: the system, or a pool with figures.',
    native: 'allocator',
  },
  compaction: {
    type: { kind: 'boolean' },
    fallback: true,
    purpose: 'Segments are merged by themselves; without it by `POST /__admin/compact` only.',
    native: 'isCompacting',
  },
  compaction_factor: {
    type: { kind: 'integer', min: 2, max: 64 },
    fallback: 8,
    purpose: 'So many segments of about one size become one.',
    native: 'compactionFactor',
  },
  // Null: samples are kept for ever.
  retention_days: {
    type: { kind: 'integer', min: 1, max: 36_500 },
    fallback: null,
    purpose:
      'Samples older than this are removed, where no table of `retention` names their series. ' +
      'Kept for ever when left out.',
    isLive: true,
  },
  retention: {
    type: { kind: 'retention' },
    fallback: [],
    purpose:
      'Tables with `match` (a metric, `*` stands for any text), `keep` (a duration) and, where only ' +
      'some of its series are meant, `labels` that they have exactly so: how long samples are kept. ' +
      'The first that names a series holds.',
    isLive: true,
  },
  'admin.enabled': {
    type: { kind: 'boolean' },
    fallback: false,
    purpose: 'Whether the admin listener runs.',
  },
  'admin.listen': {
    type: { kind: 'address' },
    fallback: '127.0.0.1:9090',
    purpose: 'Address of the admin listener, `host:port`.',
  },
  // Null: no token is asked for.
  'admin.token': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose: 'Bearer token that every admin request must show.',
    isLive: true,
  },
  // Empty: the addresses are not checked, but see the rules of the admin listener.
  'admin.allow': {
    type: { kind: 'list', of: 'address range' },
    fallback: [],
    purpose: 'Addresses and CIDR ranges from which admin requests may come.',
    isLive: true,
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingTable = typeof table;
export type SettingKey = keyof SettingTable;
export type Settings = { readonly [Key in SettingKey]: SettingValue<SettingTable[Key]> };

/** The table for those to whom all rows are alike. */
export const settingRows: Readonly<Record<SettingKey, SettingRow>> = table;

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(settingRows, text);
}

/** All keys, in the order of the table. */
export const settingKeys: readonly SettingKey[] = Object.keys(settingRows).filter(isSettingKey);
