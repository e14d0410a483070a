/** How long one client waits for long ranges in few buckets, over segments that are final. */
import { removeDirectory, temporaryDirectory, type Server } from '../test/support/server.js';

import { order, startWithAdmin } from './admin.js';
import { Connection } from './connection.js';
import { labelsOf, loadBodies, metrics, stepMs } from './generator.js';
import { measureCase, type Case } from './query.js';

import type { Measurement } from './report.js';

const dayMs = 86_400_000;
const stepsADay = dayMs / stepMs;
const metric = `cpu.${metrics[0] ?? ''}`;

/** Ten series for a year, and a thousand for a month; quick: 60 days, and a fifth for a month. */
export async function measureYears(isQuick: boolean): Promise<Measurement[]> {
  const { days, hosts } = spansOf(isQuick);
  return [
    ...(await measureCompacted(daysOf(1, days), yearCases(days))),
    ...(await measureCompacted(daysOf(hosts, 30), monthCases(hosts))),
  ];
}

export function spansOf(isQuick: boolean): { readonly days: number; readonly hosts: number } {
  return isQuick ? { days: 60, hosts: 20 } : { days: 365, hosts: 100 };
}

export function daysOf(hosts: number, days: number): Iterable<Buffer> {
  return loadBodies({ hosts, steps: days * stepsADay, fieldsPerLine: 10, values: 'integer walk' });
}

async function measureCompacted(
  bodies: Iterable<Buffer>,
  cases: readonly Case[],
): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  const server = await startWithAdmin(dataDir);
  try {
    await fillCompacted(server, bodies);
    const measurements: Measurement[] = [];
    for (const one of cases) measurements.push(await measureCase(server, one));
    return measurements;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

export async function fillCompacted(server: Server, bodies: Iterable<Buffer>): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies);
  connection.close();
  await order(server, 'flush');
  await order(server, 'compact');
}

function yearCases(days: number): readonly Case[] {
  const host = labelsOf(0)['host'] ?? '';
  const of = (width: string): string =>
    `select time_bucket(${width}, time) as t, avg(value), max(value) from ${metric}{host='${host}'} group by t`;
  return [
    { name: `one series, ${String(days)} days by day`, text: of('1d'), mostMs: 2 },
    { name: `one series, ${String(days)} days by hour`, text: of('1h'), mostMs: 5 },
  ];
}

function monthCases(hosts: number): readonly Case[] {
  const of = (width: string): string =>
    `select metric, tag.host, time_bucket(${width}, time) as t, avg(value) from cpu.* group by metric, tag.host, t`;
  const name = `${String(hosts * metrics.length)} series, 30 days by`;
  return [{ name: `${name} day and host`, text: of('1d'), mostMs: 15 }];
}
