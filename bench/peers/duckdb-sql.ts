/**
 * DuckDB: its table, and its SQL for the questions. The table has one row per line and one column
 * per field, in arrival order. So it has a tenth of the rows, and zone maps know their times.
 * Statements are prepared. A number among the values is a moment in milliseconds. Buckets begin
 * where ours do.
 */
import { metrics } from '../generator.js';
import type { Draw } from '../query/draw.js';
import type { Words } from '../query/words.js';

import { firstMetric, kMinuteMs } from './asked.js';

export const kTable = `CREATE TABLE IF NOT EXISTS cpu (ts TIMESTAMP, host VARCHAR, region VARCHAR, rack VARCHAR, ${metrics.map((name) => `${name} DOUBLE`).join(', ')})`;

/** A request to the DuckDB process, as JSON. */
export interface Prepared {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export const duckdbSql: Words = {
  maxByMetric(asked, bucketMs) {
    const t = `${bucket(bucketMs)} AS t`;
    const where = `WHERE host IN (${marks(asked)}) AND ${during}`;
    const values = [...moments(asked), ...asked.hosts];
    if (asked.metrics.length === 1) {
      const max = `max(${firstMetric(asked)}) AS value`;
      return text({ sql: `SELECT ${t}, ${max} FROM cpu ${where} GROUP BY t`, values });
    }
    // Sorted, so that equal statements are recognized.
    const fields = [...asked.metrics].sort();
    const inner = `SELECT ${t}, ${each('max', fields)} FROM cpu ${where} GROUP BY t`;
    return text({ sql: byMetric(inner, fields), values });
  },
  newestMax: (asked) =>
    text({
      sql: `SELECT ${bucket(kMinuteMs)} AS t, max(${firstMetric(asked)}) AS value FROM cpu WHERE ${during} GROUP BY t ORDER BY t DESC LIMIT 5`,
      values: moments(asked),
    }),
  averageByHost: (asked, bucketMs) =>
    text({
      sql: `SELECT host, ${bucket(bucketMs)} AS t, avg(${firstMetric(asked)}) AS value FROM cpu WHERE ${during} GROUP BY host, t`,
      values: moments(asked),
    }),
  rowsAbove(asked, least) {
    const metric = firstMetric(asked);
    return text({
      sql: `SELECT host, epoch_ms(ts) AS t, ${metric} AS value FROM cpu WHERE ${during} AND ${metric} > ${String(least)}`,
      values: moments(asked),
    });
  },
  lastValues({ hosts }) {
    const inner = `SELECT host, ${metrics.map((name) => `arg_max(${name}, ts) AS ${name}`).join(', ')} FROM cpu WHERE host NOT IN ($1, $2) GROUP BY host`;
    return text({ sql: byMetric(inner, metrics), values: hosts });
  },
  samples: (asked) =>
    text({
      sql: `SELECT epoch_ms(ts) AS t, ${firstMetric(asked)} AS value FROM cpu WHERE host IN (${marks(asked)}) AND ${during} ORDER BY ts`,
      values: [...moments(asked), ...asked.hosts],
    }),
};

const text = (prepared: Prepared): string => JSON.stringify(prepared);
const during = 'ts >= $1 AND ts < $2';
const moments = ({ start, end }: Draw): number[] => [start, end];
/** Placeholders of the hosts, after the two moments. */
const marks = ({ hosts }: Draw): string => hosts.map((_, at) => `$${String(at + 3)}`).join(', ');
const each = (name: string, fields: readonly string[]): string =>
  fields.map((field) => `${name}(${field}) AS ${field}`).join(', ');
const byMetric = (inner: string, fields: readonly string[]): string =>
  `SELECT * FROM (${inner}) UNPIVOT (value FOR metric IN (${fields.join(', ')}))`;
const bucket = (bucketMs: number): string =>
  `epoch_ms(date_trunc('${bucketMs === kMinuteMs ? 'minute' : 'hour'}', ts))`;
