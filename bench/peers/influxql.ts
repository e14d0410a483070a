/** The questions in InfluxQL: paths of GET requests. Buckets begin where ours do. */
import { metrics } from '../generator.js';
import type { Draw } from '../query/draw.js';
import type { Words } from '../query/words.js';

import { firstMetric, kMinuteMs } from './asked.js';

export const influxql: Words = {
  maxByMetric: (asked, bucketMs) =>
    queryPath(
      `SELECT ${each('max', asked.metrics)} FROM cpu WHERE ${among(asked)} AND ${during(asked)} GROUP BY ${bucket(bucketMs)} fill(none)`,
    ),
  newestMax: (asked) =>
    queryPath(
      `SELECT ${each('max', asked.metrics)} FROM cpu WHERE ${during(asked)} GROUP BY ${bucket(kMinuteMs)} fill(none) ORDER BY time DESC LIMIT 5`,
    ),
  averageByHost: (asked, bucketMs) =>
    queryPath(
      `SELECT ${each('mean', asked.metrics)} FROM cpu WHERE ${during(asked)} GROUP BY ${bucket(bucketMs)}, host fill(none)`,
    ),
  rowsAbove(asked, least) {
    const metric = firstMetric(asked);
    return queryPath(
      `SELECT ${metric} FROM cpu WHERE ${metric} > ${String(least)} AND ${during(asked)} GROUP BY host`,
    );
  },
  lastValues({ hosts }) {
    const others = hosts.map((host) => `host != '${host}'`).join(' AND ');
    return queryPath(`SELECT ${each('last', metrics)} FROM cpu WHERE ${others} GROUP BY host`);
  },
  samples: (asked) =>
    queryPath(`SELECT ${firstMetric(asked)} FROM cpu WHERE ${among(asked)} AND ${during(asked)}`),
};

const each = (name: string, fields: readonly string[]): string =>
  fields.map((field) => `${name}(${field}) AS ${field}`).join(', ');
const among = ({ hosts }: Draw): string =>
  `(${hosts.map((host) => `host = '${host}'`).join(' OR ')})`;
const during = ({ start, end }: Draw): string =>
  `time >= ${String(start)}ms AND time < ${String(end)}ms`;
const bucket = (bucketMs: number): string => `time(${String(bucketMs / kMinuteMs)}m)`;
const queryPath = (query: string): string =>
  `/query?db=bench&epoch=ms&q=${encodeURIComponent(query)}`;
