/**
 * The settings: one table of every key with its kind, default and purpose. Files, environment and
 * flags are parsed by it. The type of the settings and docs/configuration.md are made from it.
 */

import { kDayMs, kHourMs } from '../common/model/duration.js';

import { backupTable } from './backup-table.js';
import { bucketTable } from './bucket-table.js';

import type { Milliseconds } from '../common/model/timestamp-unit.js';
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
  // Null: listenerCount() decides.
  listeners: {
    type: { kind: 'integer', min: 1, max: 64 },
    fallback: null,
    purpose:
      'Threads that serve connections of the public API; they share the connections. The ' +
      'default is one per core, at most four.',
  },
  data_dir: {
    type: { kind: 'text' },
    fallback: 'seriesdb-data',
    purpose: 'Directory of the database; created if it does not exist.',
    native: 'directory',
  },
  // Null: the API needs no token.
  auth_token: {
    type: { kind: 'text', isSecret: true },
    fallback: null,
    purpose:
      'Token for the routes under `/api/`, `/write`, `/query` and `/v1/metrics`; visible ' +
      'ASCII without spaces. Without it the API is open.',
    isLive: true,
  },
  // Null: only the tokens in the settings.
  tokens_file: {
    type: { kind: 'text' },
    fallback: null,
    purpose:
      'File of named tokens with scopes, in addition to `auth_token` and `admin.token`; see ' +
      'security.md. With it both listeners require a token. A reload reads the file again.',
    isLive: true,
  },
  open_status: {
    type: { kind: 'boolean' },
    fallback: true,
    purpose:
      'Whether `/status` and `/metrics` answer without a token although other routes require ' +
      'one; `false`: they need the scope `read`.',
    isLive: true,
  },
  log_level: {
    type: { kind: 'choice', choices: ['debug', 'info', 'warn', 'error'] },
    fallback: 'info',
    purpose: 'The lowest level of log lines to write.',
    isLive: true,
  },
  timestamp_unit: {
    type: { kind: 'choice', choices: ['s', 'ms', 'us', 'ns'] },
    fallback: 'ms',
    purpose: 'Unit of every `ts`, fixed when the data directory is created.',
    native: 'timestampUnit',
  },
  fsync: {
    type: { kind: 'choice', choices: ['always', 'interval', 'none'] },
    fallback: 'always',
    purpose:
      'State of the data when a write is acknowledged: on disk (`always`), on disk within ' +
      '`fsync_interval_ms` (`interval`), or left to the kernel (`none`).',
    native: 'fsync',
  },
  fsync_interval_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 1000,
    purpose: 'Longest time between two syncs with `fsync = "interval"`.',
    native: 'fsyncIntervalMs',
  },
  memtable_max_bytes: {
    type: { kind: 'size', min: 64 * 1024, max: kSizeMax },
    fallback: 128 * kMiB,
    purpose: 'A memtable of this size is flushed to a segment.',
    isLive: true,
    native: 'memtableMaxBytes',
  },
  flush_interval_ms: {
    type: { kind: 'integer', min: 0, max: kYearMs },
    fallback: kHourMs,
    purpose: 'A memtable is flushed to a segment at least this often; 0 means never.',
    isLive: true,
    native: 'flushIntervalMs',
  },
  history_keep_ms: {
    type: { kind: 'integer', min: 0, max: kYearMs },
    fallback: kHourMs,
    purpose:
      'How long earlier states of the database stay readable (`as_of`, undelete); 0 means none.',
    isLive: true,
    native: 'historyKeepMs',
  },
  memory_limit_bytes: {
    type: { kind: 'size', min: kMiB, max: kSizeMax },
    fallback: 1024 * kMiB,
    purpose:
      'Memory limit of the storage. At the limit ingest answers 503, and queries that need ' +
      'more fail. A query may hold a quarter of it in texts.',
    isLive: true,
    native: 'memoryLimitBytes',
  },
  max_line_bytes: {
    type: { kind: 'size', min: 64, max: 1024 * kMiB },
    fallback: 65_536,
    purpose: 'Longest ingest line; the default is at most `max_body_bytes`.',
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
    purpose: 'Text between measurement and field in the metric names of line protocol.',
    isLive: true,
  },
  // Null: no such label.
  influx_database_label: {
    type: { kind: 'text' },
    fallback: null,
    purpose: 'Label for the `db` or `bucket` of line protocol writes. Off by default.',
    isLive: true,
  },
  otlp_names: {
    type: { kind: 'choice', choices: ['otel', 'prometheus'] },
    fallback: 'otel',
    purpose:
      'Names of OpenTelemetry metrics and attributes: unchanged, or escaped as in ' +
      'Prometheus, with units and `_total`.',
    isLive: true,
  },
  otlp_delta: {
    type: { kind: 'choice', choices: ['reject', 'store'] },
    fallback: 'reject',
    purpose: 'Delta sums and histograms of OpenTelemetry: reject them, or store them as gauges.',
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
      'Resource attributes of OpenTelemetry that become labels of their series; `*` is all. ' +
      'The others are only in `target_info`.',
    isLive: true,
  },
  otlp_scope_labels: {
    type: { kind: 'boolean' },
    fallback: false,
    purpose: 'Whether the instrumentation scope of OpenTelemetry becomes labels.',
    isLive: true,
  },
  max_future_skew: {
    type: { kind: 'duration', min: 0, max: 100 * kYearMs },
    fallback: null,
    purpose: 'A `ts` further than this ahead of the clock is refused. Off by default.',
    isLive: true,
  },
  max_series: {
    type: { kind: 'integer', min: 0, max: kCountMax },
    fallback: 0,
    purpose: 'Most series in the database; 0 means no limit.',
    native: 'maxSeries',
  },
  max_series_per_metric: {
    type: { kind: 'integer', min: 0, max: kCountMax },
    fallback: 0,
    purpose: 'Most series of one metric; 0 means no limit.',
    native: 'maxSeriesPerMetric',
  },
  transport: {
    type: { kind: 'choice', choices: ['auto', 'uws', 'node'] },
    fallback: 'auto',
    purpose:
      'HTTP server: the built-in one over the sockets of Node.js (`auto`, `node`), or ' +
      'uWebSockets.js (`uws`).',
  },
  // Set both or neither. Null: plain HTTP.
  tls_cert: {
    type: { kind: 'text' },
    fallback: null,
    purpose: 'Certificate chain in PEM, for both listeners. A reload reads the file again.',
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
    purpose: 'Origins whose pages may call the public API from a browser; `*` is any. Empty: none.',
    isLive: true,
  },
  hosts: {
    type: { kind: 'list', of: 'host name' },
    fallback: [],
    purpose:
      'Host names, without port, that a listener without a token answers to, in addition to ' +
      '`localhost` and IP addresses.',
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
      'Longest silence of a client while it sends a body. The long-run rate must be at least ' +
      '1 KiB/s.',
    isLive: true,
  },
  answer_timeout_ms: {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 30_000,
    purpose:
      'Longest time from the end of the body to the answer; queries have `query_timeout_ms`.',
    isLive: true,
  },
  reader_timeout_ms: {
    type: { kind: 'integer', min: 100, max: kDayMs },
    fallback: 60_000,
    purpose: 'Longest time that a client may stop reading its answer.',
    isLive: true,
  },
  slow_request_ms: {
    type: { kind: 'integer', min: 0, max: kDayMs },
    fallback: 1000,
    purpose: 'A request that takes at least this long is logged as `warn`; 0 means never.',
    isLive: true,
  },
  slow_query_ms: {
    type: { kind: 'integer', min: 0, max: kDayMs },
    fallback: 0,
    purpose:
      'A SeriesQL or PromQL query that takes at least this long is logged with its text as ' +
      '`warn`; 0 means never.',
    isLive: true,
  },
  cas_mode: {
    type: { kind: 'choice', choices: ['off', 'dual_write'] },
    fallback: 'dual_write',
    purpose: 'Whether the content-addressed description of the database is written, too.',
    native: 'casMode',
  },
  metadata_read_mode: {
    type: { kind: 'choice', choices: ['legacy', 'shadow', 'primary'] },
    fallback: 'primary',
    purpose: 'The description from which the database opens; `cas_mode = "off"` requires `legacy`.',
    native: 'metadataReadMode',
  },
  query_compiler_mode: {
    type: { kind: 'choice', choices: ['legacy', 'shadow', 'compiled'] },
    fallback: 'compiled',
    purpose:
      'The engine that runs SeriesQL: `legacy` is the interpreter; `shadow` runs both and ' +
      'compares.',
  },
  shadow_mismatch: {
    type: { kind: 'choice', choices: ['log', 'error'] },
    fallback: 'log',
    purpose: 'Effect of a difference in shadow mode: log it, or fail the query.',
  },
  max_query_rows: {
    type: { kind: 'integer', min: 1, max: kCountMax },
    fallback: 1_000_000,
    purpose:
      'Most rows of a SeriesQL answer, and most rows or groups that a query may hold to sort ' +
      'or fill.',
    isLive: true,
  },
  max_query_series: {
    type: { kind: 'integer', min: 1, max: kCountMax },
    fallback: 1_000_000,
    purpose:
      'Most series whose samples a query or a remote_read request may read, and whose labels ' +
      'Prometheus’ API lists.',
    isLive: true,
  },
  max_query_samples: {
    type: { kind: 'integer', min: 1, max: 2 ** 53 - 1 },
    fallback: 1_000_000_000,
    purpose:
      'Most samples that a query may decode (in SeriesQL its `rows_scanned`, minus samples ' +
      'that a far OFFSET reads again), and most samples in a remote_read answer.',
    isLive: true,
  },
  query_timeout_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 30_000,
    purpose: 'Longest time of a query, including its wait for a slot.',
    isLive: true,
  },
  max_query_cells: {
    type: { kind: 'integer', min: 1, max: 2 ** 31 - 1 },
    fallback: 16_777_216,
    purpose:
      'Most values (series times steps) that a PromQL query may hold at a time; each takes 9 ' +
      'bytes.',
    isLive: true,
  },
  promql_lookback_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 300_000,
    purpose: 'Greatest age of a sample that a PromQL selector still uses as the current value.',
    isLive: true,
  },
  promql_evaluation_interval_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 60_000,
    purpose: 'Default step of PromQL subqueries.',
    isLive: true,
  },
  max_concurrent_queries: {
    type: { kind: 'integer', min: 1, max: 1024 },
    fallback: 16,
    purpose:
      'Most running queries of every kind; further ones wait up to 2 s. Half as many slots ' +
      'are reserved for short answers, a quarter for tokens or addresses without a running ' +
      'query.',
    isLive: true,
  },
  allocator: {
    type: { kind: 'choice', choices: ['system', 'small_pool'] },
    fallback: 'system',
    purpose: '`small_pool` counts the small blocks of memtables for `/debug/alloc/stats`.',
    native: 'allocator',
  },
  compaction: {
    type: { kind: 'boolean' },
    fallback: true,
    purpose:
      'Whether segments are compacted automatically; otherwise only by `POST ' +
      '/__admin/compact`.',
    native: 'isCompacting',
  },
  compaction_factor: {
    type: { kind: 'integer', min: 2, max: 64 },
    fallback: 8,
    purpose: 'Number of segments of similar size that are merged into one.',
    native: 'compactionFactor',
  },
  // Null: samples are kept forever.
  retention_days: {
    type: { kind: 'integer', min: 1, max: 36_500 },
    fallback: null,
    purpose:
      'Samples older than this are removed, unless a `retention` table covers their series. ' +
      'Without it samples are kept for ever.',
    isLive: true,
  },
  retention: {
    type: { kind: 'retention' },
    fallback: [],
    purpose:
      'Tables that say how long samples are kept: `match` (a metric, `*` stands for any ' +
      'text), `keep` (a duration), and optionally exact `labels` to limit the rule to some ' +
      'series. The first table that covers a series applies.',
    isLive: true,
  },
  ...bucketTable,
  ...backupTable,
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
  // Null: no token is required.
  'admin.token': {
    type: { kind: 'text', isSecret: true, isEmptyUnset: true },
    fallback: null,
    purpose: 'Bearer token that every admin request must send.',
    isLive: true,
  },
  // Empty: any address, within the rules of the admin listener.
  'admin.allow': {
    type: { kind: 'list', of: 'address range' },
    fallback: [],
    purpose: 'Addresses and CIDR ranges that may send admin requests.',
    isLive: true,
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingTable = typeof table;
export type SettingKey = keyof SettingTable;
export type Settings = {
  readonly [Key in SettingKey]: TimedValue<Key, SettingValue<SettingTable[Key]>>;
};

/** A key that ends in `_ms` is a time. */
type TimedValue<Key, Value> = Key extends `${string}_ms` ? Milliseconds<Value & number> : Value;

/** The table with one type for all rows. */
export const settingRows: Readonly<Record<SettingKey, SettingRow>> = table;

/** The default of a setting. */
export function fallbackOf<Key extends SettingKey>(key: Key): SettingTable[Key]['fallback'] {
  return table[key].fallback;
}

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(settingRows, text);
}

/** All keys, in the order of the table. */
export const settingKeys: readonly SettingKey[] = Object.keys(settingRows).filter(isSettingKey);
