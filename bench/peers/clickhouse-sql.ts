/**
 * ClickHouse: its table, and its SQL for the questions. The table has one row per sample, ordered
 * by metric, host and time. This suits users who do not know the metrics in advance. Buckets begin
 * where ours do.
 */
import type { Draw } from '../query/draw.js';
import type { Words } from '../query/words.js';

import { firstMetric, kMinuteMs, quoted } from './asked.js';

/**
 * Differences between versions. Versions before 2020 have times in seconds, no codecs and plain
 * strings.
 */
interface Dialect {
  readonly label: string;
  readonly time: string;
  readonly value: string;
  /** A moment. Where the type has only seconds, the next whole second serves. */
  readonly moment: (ms: number) => string;
  readonly printed: string;
}

const modern: Dialect = {
  label: 'LowCardinality(String)',
  time: "DateTime64(3, 'UTC') CODEC(DoubleDelta, LZ4)",
  value: 'Float64 CODEC(Gorilla, LZ4)',
  moment: (ms) => `fromUnixTimestamp64Milli(${String(ms)}, 'UTC')`,
  printed: 'toUnixTimestamp64Milli(ts)',
};
const old: Dialect = {
  ...{ label: 'String', time: "DateTime('UTC')", value: 'Float64' },
  moment: (ms) => `toDateTime(${String(Math.ceil(ms / 1000))}, 'UTC')`,
  printed: 'toUnixTimestamp(ts) * 1000',
};

export interface ClickhouseSql {
  /** Creates the table if it does not exist. */
  readonly table: string;
  readonly words: Words;
}

/** The version of ClickHouse in chDB; no chDB is older. */
export const kOfChdb = '26';

/** The SQL for the version that the server reports. */
export function clickhouseSql(version: string): ClickhouseSql {
  const dialect = Number.parseInt(version, 10) < 20 ? old : modern;
  return { table: tableOf(dialect), words: wordsOf(dialect) };
}

export const kInsert = 'INSERT INTO samples FORMAT CSV';
/** Merges the parts, as the server itself would in the course of time. */
export const kSettle = 'OPTIMIZE TABLE samples FINAL';

function tableOf({ label, time, value }: Dialect): string {
  const labels = ['metric', 'host', 'region', 'rack'].map((name) => `${name} ${label}`).join(', ');
  return `CREATE TABLE IF NOT EXISTS samples (${labels}, ts ${time}, value ${value}) ENGINE = MergeTree ORDER BY (metric, host, ts)`;
}

function wordsOf({ moment, printed }: Dialect): Words {
  const during = ({ start, end }: Draw): string => `ts >= ${moment(start)} AND ts < ${moment(end)}`;
  const of = (asked: Draw): string => `metric = 'cpu.${firstMetric(asked)}'`;
  const drawn = (asked: Draw): string =>
    `metric IN (${quoted(asked.metrics.map((name) => `cpu.${name}`))}) AND host IN (${quoted(asked.hosts)})`;
  return {
    maxByMetric: (asked, bucketMs) =>
      `SELECT metric, ${bucket(bucketMs)} AS t, max(value) AS value FROM samples WHERE ${drawn(asked)} AND ${during(asked)} GROUP BY metric, t`,
    newestMax: (asked) =>
      `SELECT ${bucket(kMinuteMs)} AS t, max(value) AS value FROM samples WHERE ${of(asked)} AND ${during(asked)} GROUP BY t ORDER BY t DESC LIMIT 5`,
    averageByHost: (asked, bucketMs) =>
      `SELECT host, ${bucket(bucketMs)} AS t, avg(value) AS value FROM samples WHERE ${of(asked)} AND ${during(asked)} GROUP BY host, t`,
    rowsAbove: (asked, least) =>
      `SELECT host, ${printed} AS t, value FROM samples WHERE ${of(asked)} AND ${during(asked)} AND value > ${String(least)}`,
    lastValues: ({ hosts }) =>
      `SELECT metric, host, argMax(value, ts) AS value FROM samples WHERE host NOT IN (${quoted(hosts)}) GROUP BY metric, host`,
    samples: (asked) =>
      `SELECT ${printed} AS t, value FROM samples WHERE ${drawn(asked)} AND ${during(asked)} ORDER BY ts`,
  };
}

const bucket = (bucketMs: number): string =>
  `toUnixTimestamp(${bucketMs === kMinuteMs ? 'toStartOfMinute' : 'toStartOfHour'}(ts)) * 1000`;
