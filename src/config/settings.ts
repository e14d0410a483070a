/**
 * The settings: one table with every key, its kind, its default and what it is for. Files,
 * environment and flags all go through it; docs/configuration.md is made from it.
 */

import type { ListenAddress } from '../model/listen-address.js';
import type { TimestampUnit } from '../model/timestamp-unit.js';

export interface Settings {
  readonly listen: ListenAddress;
  readonly data_dir: string;
  /** Null: the API is open. */
  readonly auth_token: string | null;
  readonly log_level: 'debug' | 'info' | 'warn' | 'error';
  readonly timestamp_unit: TimestampUnit;
  readonly fsync: 'always' | 'interval' | 'none';
  readonly fsync_interval_ms: number;
  readonly memtable_max_bytes: number;
  readonly flush_interval_ms: number;
  readonly memory_limit_bytes: number;
  readonly max_line_bytes: number;
  readonly max_body_bytes: number;
  /** Milliseconds; null is off. */
  readonly max_future_skew: number | null;
  /** 0 is no limit. */
  readonly max_series: number;
  /** 0 is no limit. */
  readonly max_series_per_metric: number;
  readonly transport: 'auto' | 'uws' | 'node';
}

export type SettingKey = keyof Settings;

/** How a value is read. Sizes also as `64MiB`; durations as `10s`, or a number of milliseconds. */
export type SettingKind =
  | { readonly kind: 'text'; readonly isSecret?: boolean }
  | { readonly kind: 'address' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'integer' | 'size' | 'duration'; readonly min: number; readonly max: number };

export interface SettingRow {
  readonly type: SettingKind;
  /** As written in a file; null when absence means something. */
  readonly fallback: string | number | null;
  readonly purpose: string;
}

const kMiB = 1024 * 1024;
const kCountMax = 2 ** 32 - 1;
const kSizeMax = 2 ** 46;
const kDayMs = 86_400_000;
const kYearMs = 365 * kDayMs;

export const settingRows: Readonly<Record<SettingKey, SettingRow>> = {
  listen: {
    type: { kind: 'address' },
    fallback: '127.0.0.1:8080',
    purpose: 'Address of the public API, `host:port`.',
  },
  data_dir: {
    type: { kind: 'text' },
    fallback: 'seriesdb-data',
    purpose: 'Directory that holds the database; made when it is not there.',
  },
  auth_token: {
    type: { kind: 'text', isSecret: true },
    fallback: null,
    purpose: 'Bearer token that every route under `/api/` asks for. Leave it out to run open.',
  },
  log_level: {
    type: { kind: 'choice', choices: ['debug', 'info', 'warn', 'error'] },
    fallback: 'info',
    purpose: 'The least important log lines that are written.',
  },
  timestamp_unit: {
    type: { kind: 'choice', choices: ['s', 'ms', 'us', 'ns'] },
    fallback: 'ms',
    purpose: 'Unit of every `ts`, fixed when the data directory is made.',
  },
  fsync: {
    type: { kind: 'choice', choices: ['always', 'interval', 'none'] },
    fallback: 'always',
    purpose: 'What an acknowledgement promises: on disk, soon on disk, or left to the kernel.',
  },
  fsync_interval_ms: {
    type: { kind: 'integer', min: 1, max: kDayMs },
    fallback: 1000,
    purpose: 'Longest time between syncs with `fsync = "interval"`.',
  },
  memtable_max_bytes: {
    type: { kind: 'size', min: 64 * 1024, max: kSizeMax },
    fallback: 128 * kMiB,
    purpose: 'Data in memory is written to a segment when it reaches this size.',
  },
  flush_interval_ms: {
    type: { kind: 'integer', min: 0, max: kYearMs },
    fallback: 3_600_000,
    purpose: 'Data in memory is written to a segment at least this often; 0 is never.',
  },
  memory_limit_bytes: {
    type: { kind: 'size', min: kMiB, max: kSizeMax },
    fallback: 1024 * kMiB,
    purpose: 'Ingest answers 503 while unwritten data and waiting requests hold this much.',
  },
  max_line_bytes: {
    type: { kind: 'size', min: 64, max: 1024 * kMiB },
    fallback: 65_536,
    purpose: 'Longest ingest line.',
  },
  max_body_bytes: {
    type: { kind: 'size', min: 64, max: 4095 * kMiB },
    fallback: 64 * kMiB,
    purpose: 'Largest ingest body, after decompression.',
  },
  max_future_skew: {
    type: { kind: 'duration', min: 0, max: 100 * kYearMs },
    fallback: null,
    purpose: 'A `ts` further than this above the clock is refused. Off when left out.',
  },
  max_series: {
    type: { kind: 'integer', min: 0, max: kCountMax },
    fallback: 0,
    purpose: 'Most series in the database; 0 is no limit.',
  },
  max_series_per_metric: {
    type: { kind: 'integer', min: 0, max: kCountMax },
    fallback: 0,
    purpose: 'Most series of one metric; 0 is no limit.',
  },
  transport: {
    type: { kind: 'choice', choices: ['auto', 'uws', 'node'] },
    fallback: 'auto',
    purpose: 'HTTP server: uWebSockets.js, node:http, or the first that loads.',
  },
};

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(settingRows, text);
}
