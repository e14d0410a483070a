/** How long one client waits for SeriesQL: dashboards over few series, and sweeps over all. */
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, bodyText, jsonRequest } from './connection.js';
import { buildLoad, firstTs, fleetBodies, hourMs, labelsOf, metrics, stepMs } from './generator.js';
import { median, type Measurement } from './report.js';

/** So long that the server's JavaScript is compiled. */
const warmUpMs = 800;
const repetitions = 51;

export interface Case {
  readonly name: string;
  readonly text: string;
  readonly mostMs: number;
}

/** S: 100 hosts for three days; `--quick`: for twelve hours. Served from segments. */
export async function measureQueries(isQuick: boolean): Promise<Measurement[]> {
  const steps = (isQuick ? 12 : 72) * (hourMs / stepMs);
  const dataDir = temporaryDirectory();
  let server = await startServer({ dataDir });
  try {
    await fill(
      server,
      buildLoad({ hosts, steps, fieldsPerLine: 10, values: 'integer walk' }).bodies,
    );
    await server.stop();
    server = await startServer({ dataDir });
    const measurements: Measurement[] = [];
    for (const one of casesOf(steps)) measurements.push(await measureCase(server, one));
    return measurements;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

const hosts = 100;

/** M: 4,000 hosts for six hours; `--quick`: 200 hosts. Served from segments. */
export async function measureFleetQueries(isQuick: boolean): Promise<Measurement[]> {
  const fleet = isQuick ? 200 : 4000;
  const steps = 6 * (hourMs / stepMs);
  const dataDir = temporaryDirectory();
  let server = await startServer({ dataDir });
  try {
    await fill(server, fleetBodies(fleet, steps));
    await server.stop();
    server = await startServer({ dataDir });
    const measurements: Measurement[] = [];
    for (const one of fleetCasesOf(steps)) {
      const { name, ...measured } = await measureCase(server, one);
      measurements.push({ ...measured, name: name.replace('query', 'fleet') });
    }
    return measurements;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function fill(server: Server, bodies: Iterable<Buffer>): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies);
  connection.close();
}

const metric = `cpu.${metrics[0] ?? ''}`;
const host = (at: number): string => `'${labelsOf(at)['host'] ?? ''}'`;
const eight = Array.from({ length: 8 }, (_, at) => host(at * 11)).join(', ');

/** So many hours before the end of the data. */
function lastHours(steps: number, hours: number): string {
  const end = firstTs + steps * stepMs;
  return `time >= ${end - hours * hourMs} and time < ${end}`;
}

function fleetCasesOf(steps: number): readonly Case[] {
  const all = lastHours(steps, 6);
  return [
    {
      name: 'all hosts, 6 h, avg by hour and host',
      text: `select tag.host, time_bucket(1h, time) as t, avg(value) from ${metric} where ${all} group by tag.host, t`,
      mostMs: 20,
    },
    {
      name: 'last value of every series',
      text: 'select metric, tag.host, last(value) from cpu.* group by metric, tag.host',
      mostMs: 10,
    },
    {
      name: '8 hosts, all metrics, 6 h by hour',
      text: `select metric, time_bucket(1h, time) as t, max(value) from cpu.* where tag.host in (${eight}) and ${all} group by metric, t`,
      mostMs: 1,
    },
    {
      name: 'newest five buckets',
      text: `select time_bucket(1m, time) as t, max(value) from ${metric} where time < ${firstTs + steps * stepMs} group by t order by t desc limit 5`,
      mostMs: 10,
    },
    {
      name: 'hosts by a pattern, 6 h by hour',
      text: `select tag.host, time_bucket(1h, time) as t, avg(value) from ${metric} where tag.host =~ '_1..$' and ${all} group by tag.host, t`,
      mostMs: 5,
    },
  ];
}

function casesOf(steps: number): readonly Case[] {
  const end = firstTs + steps * stepMs;
  const last = (hours: number): string => lastHours(steps, hours);
  const five = metrics
    .slice(0, 5)
    .map((name) => `'cpu.${name}'`)
    .join(', ');
  return [
    {
      name: 'one host, one metric, 1 h by minute',
      text: `select time_bucket(1m, time) as t, max(value) from ${metric}{host=${host(7)}} where ${last(1)} group by t`,
      mostMs: 0.2,
    },
    {
      name: '8 hosts, one metric, 1 h by minute',
      text: `select time_bucket(1m, time) as t, max(value) from ${metric} where tag.host in (${eight}) and ${last(1)} group by t`,
      mostMs: 0.4,
    },
    {
      name: 'one host, 5 metrics, 12 h by minute',
      text: `select metric, time_bucket(1m, time) as t, max(value) from cpu.*{host=${host(7)}} where metric in (${five}) and ${last(12)} group by metric, t`,
      mostMs: 0.6,
    },
    {
      name: '8 hosts, all metrics, 8 h by hour',
      text: `select metric, time_bucket(1h, time) as t, max(value) from cpu.* where tag.host in (${eight}) and ${last(8)} group by metric, t`,
      mostMs: 1,
    },
    {
      name: 'all hosts, 12 h, avg by hour and host',
      text: `select tag.host, time_bucket(1h, time) as t, avg(value) from ${metric} where ${last(12)} group by tag.host, t`,
      mostMs: 3,
    },
    {
      name: 'last value of every series',
      text: 'select metric, tag.host, last(value) from cpu.* group by metric, tag.host',
      mostMs: 3,
    },
    {
      name: 'rows above 90, all hosts, 12 h',
      text: `select time, tag.host, value from ${metric} where value > 90 and ${last(12)}`,
      mostMs: 15,
    },
    {
      name: 'all hosts, 12 h, by hour and above 50',
      text: `select time_bucket(1h, time) as t, value > 50 as high, count(*) from ${metric} where ${last(12)} group by t, high`,
      mostMs: 10,
    },
    {
      name: 'newest five buckets',
      text: `select time_bucket(1m, time) as t, max(value) from ${metric} where time < ${end} group by t order by t desc limit 5`,
      mostMs: 1,
    },
    {
      name: '2,400 times left out in 64 KiB',
      text: `select max(value) from ${metric}{host=${host(7)}} where ${last(1)} ${leftOut(end)}`,
      mostMs: 20,
    },
    {
      name: 'a list of 6,000 hosts, most unknown',
      text: `select max(value) from ${metric} where ${last(1)} and tag.host in (${eight}, ${hosts6000})`,
      mostMs: 20,
    },
  ];
}

/** Moments without a sample. */
function leftOut(end: number): string {
  return Array.from({ length: 2400 }, (_, at) => `and time != ${end - 7 - at * 1000}`).join(' ');
}

/** None of them is there. */
const hosts6000 = Array.from({ length: 6000 }, (_, at) => `'h_${at}'`).join(',');

export async function measureCase(server: Server, one: Case): Promise<Measurement> {
  const request = jsonRequest('/api/v1/seriesql', one.text);
  const connection = await Connection.open(server.port);
  const first = await connection.exchange(request, { keepText: true });
  const text = bodyText(first);
  if (first.status !== 200) throw new Error(`${one.name}: ${text}`);
  if (!text.includes('"legacy_fallback":false')) throw new Error(`${one.name} was not compiled`);
  const times: number[] = [];
  const start = performance.now();
  while (times.length < repetitions) {
    const started = performance.now();
    await connection.exchange(request);
    if (started > start + warmUpMs) times.push(performance.now() - started);
  }
  connection.close();
  const rows = /"rows_emitted":([0-9]+)/.exec(text)?.[1] ?? '0';
  const spent = /"execute_ms":([0-9.]+)/.exec(text)?.[1] ?? '0';
  return {
    name: `query, ${one.name}, p50`,
    value: median(times),
    unit: 'ms',
    target: { most: one.mostMs },
    note: `${Number(rows).toLocaleString('en')} rows; cold: ${Number(spent).toFixed(2)} ms`,
  };
}
