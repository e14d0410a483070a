/**
 * This build beside another one, in one run: both get the same requests in turn, so that a machine
 * that is slow for a moment is slow for both. Every request is for another host, metric and window;
 * after a restart the first of them meet no cache. Figures are ratios, this build by the other one.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';

import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';
import { Random } from '../test/support/random.js';

import { startWithAdmin } from './admin.js';
import { Connection, getRequest, ingestRequest, jsonRequest } from './connection.js';
import { buildLoad, firstTs, fleetBodies, hourMs, labelsOf, metrics, stepMs } from './generator.js';
import { median, type Measurement } from './report.js';
import { daysOf, fillCompacted, spansOf } from './years.js';

const hosts = 100;
/** Of each kind of request; the first hundreds meet code that is not compiled yet. */
const rounds = 1001;
/** An hour of a fleet: its series fill more than a chunk. */
const fleetSteps = hourMs / stepMs;
const seed = 7;
/** A load of less than a second is half of it code that is compiled as it runs. */
const kIngestLonger = 5;
/** What lies within that is the machine's; slower than so much is this build's. */
const mostRatio = 1.03;

interface Side {
  readonly server: Server;
  readonly connection: Connection;
}
type Pair = readonly [Side, Side];

/** `rival` is the folder of the other build, whose `npm run build` was done. */
export async function measurePaired(rival: string, isQuick: boolean): Promise<Measurement[]> {
  const hours = isQuick ? 6 : 24;
  const mains = [undefined, programOf(rival)] as const;
  const folders = [temporaryDirectory(), temporaryDirectory()] as const;
  const open = async (at: 0 | 1): Promise<Side> => {
    const server = await startServer({ dataDir: folders[at], program: mains[at] });
    return { server, connection: await Connection.open(server.port) };
  };
  let pair: Pair = [await open(0), await open(1)];
  try {
    const measurements = [
      await measureIngest(pair, 10, hours * kIngestLonger),
      await measureIngest(pair, 1, isQuick ? 1 : 4 * kIngestLonger),
    ];
    for (const { server, connection } of pair) {
      connection.close();
      await server.stop();
    }
    pair = [await open(0), await open(1)];
    for (const one of requestKinds(hours)) measurements.push(await measureRequests(pair, one));
    return measurements;
  } finally {
    for (const { server } of pair) await server.kill();
    folders.forEach(removeDirectory);
  }
}

/** As it is started there; one of before there was a bundle is its modules. */
function programOf(rival: string): string {
  const bundle = path.join(rival, 'dist/bin/seriesdb.js');
  return existsSync(bundle) ? bundle : path.join(rival, 'dist/src/main.js');
}

/** Long ranges in few buckets, of segments that both builds have compacted. */
export async function measurePairedYears(rival: string, isQuick: boolean): Promise<Measurement[]> {
  const { days, hosts: fleet } = spansOf(isQuick);
  return [
    ...(await measureCompacted(rival, () => daysOf(1, days), yearKinds(days))),
    ...(await measureCompacted(rival, () => daysOf(fleet, 30), monthKinds(fleet))),
  ];
}

/** The last value of each of 40,000 series; `--quick`: of 4,000. */
export async function measurePairedFleet(rival: string, isQuick: boolean): Promise<Measurement[]> {
  const fleet = isQuick ? 400 : 4000;
  const makeBodies = (): Iterable<Buffer> => fleetBodies(fleet, fleetSteps);
  return measureCompacted(rival, makeBodies, [
    lastValues(`${String(fleet * metrics.length)} series`),
    query('average by host, one metric of ten', (random) => {
      return `select tag.host, avg(value) from ${anyMetric(random)} where tag.host != ${anyHost(random)} group by tag.host`;
    }),
  ]);
}

async function measureCompacted(
  rival: string,
  makeBodies: () => Iterable<Buffer>,
  kinds: readonly RequestKind[],
): Promise<Measurement[]> {
  const mains = [undefined, programOf(rival)] as const;
  const folders = [temporaryDirectory(), temporaryDirectory()] as const;
  const servers = [
    await startWithAdmin(folders[0], mains[0]),
    await startWithAdmin(folders[1], mains[1]),
  ] as const;
  try {
    for (const server of servers) await fillCompacted(server, makeBodies());
    const sideOf = async (server: Server): Promise<Side> => {
      return { server, connection: await Connection.open(server.port) };
    };
    const pair: Pair = [await sideOf(servers[0]), await sideOf(servers[1])];
    const measurements: Measurement[] = [];
    for (const one of kinds) measurements.push(await measureRequests(pair, one));
    return measurements;
  } finally {
    for (const server of servers) await server.kill();
    folders.forEach(removeDirectory);
  }
}

function yearKinds(days: number): readonly RequestKind[] {
  const of = (width: string) => (random: Random) =>
    `select time_bucket(${width}, time) as t, avg(value), max(value) from ${anyMetric(random)} group by t`;
  const name = `one series, ${String(days)} days by`;
  return [query(`${name} day`, of('1d')), query(`${name} hour`, of('1h'))];
}

function monthKinds(fleet: number): readonly RequestKind[] {
  const text = (random: Random): string =>
    `select metric, tag.host, time_bucket(1d, time) as t, avg(value) from cpu.* where tag.host != ${anyHost(random)} group by metric, tag.host, t`;
  return [query(`${String(fleet * metrics.length)} series, 30 days by day and host`, text)];
}

/** One side after the other gets each body, by turns first. */
async function measureIngest(
  pair: Pair,
  fieldsPerLine: 1 | 10,
  loadHours: number,
): Promise<Measurement> {
  const steps = loadHours * (hourMs / stepMs);
  // The hosts of another share are others.
  const share = fieldsPerLine === 10 ? 0 : 1;
  const load = buildLoad({ hosts, steps, fieldsPerLine, values: 'integer walk', share });
  const before = pair.map(({ server }) => server.cpuSeconds());
  for (const [round, body] of load.bodies.entries()) {
    const request = ingestRequest(body);
    for (const side of inTurn(pair, round)) await exchange(side, request);
  }
  const [ours = NaN, theirs = NaN] = pair.map(
    ({ server }, at) => server.cpuSeconds() - (before[at] ?? 0),
  );
  const rate = (seconds: number): string => (load.samples / seconds / 1e6).toFixed(2);
  return {
    name: `ingest, ${fieldsPerLine === 1 ? 'one sample' : 'ten fields'} a line, server CPU`,
    value: ours / theirs,
    unit: '×',
    target: { most: mostRatio },
    note: `${rate(ours)} and ${rate(theirs)} M samples/s of CPU`,
  };
}

interface RequestKind {
  readonly name: string;
  readonly make: (random: Random) => Buffer;
}

async function measureRequests(pair: Pair, kind: RequestKind): Promise<Measurement> {
  const random = new Random(seed);
  const times: [number[], number[]] = [[], []];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const request = kind.make(random);
    const spent = [0, 0];
    for (const side of inTurn(pair, round)) {
      const started = performance.now();
      await exchange(side, request);
      spent[pair.indexOf(side)] = performance.now() - started;
    }
    const [ours = NaN, theirs = NaN] = spent;
    times[0].push(ours);
    times[1].push(theirs);
    ratios.push(ours / theirs);
  }
  const text = (all: number[]): string => median(all).toFixed(3);
  return {
    name: `${kind.name}, middle of the ratios`,
    value: median(ratios),
    unit: '×',
    target: { most: mostRatio },
    note: `p50 ${text(times[0])} and ${text(times[1])} ms`,
  };
}

function inTurn(pair: Pair, round: number): Pair {
  return round % 2 === 0 ? pair : [pair[1], pair[0]];
}

async function exchange({ connection }: Side, request: Buffer): Promise<void> {
  const { status } = await connection.exchange(request);
  if (status !== 200) throw new Error(`a request was answered with ${String(status)}`);
}

const anyMetric = (random: Random): string => `cpu.${metrics[random.below(metrics.length)] ?? ''}`;
const anyLabels = (random: Random): Record<string, string> => labelsOf(random.below(hosts));
const anyHost = (random: Random): string => `'${anyLabels(random)['host'] ?? ''}'`;

/** A window of that length within so many hours, as a condition. */
function during(random: Random, hours: number, length: number): string {
  const start = firstTs + random.below(hours * hourMs - length + 1);
  return `time >= ${String(start)} and time < ${String(start + length)}`;
}

function range(name: string, hours: number, length: number): RequestKind {
  const make = (random: Random): Buffer => {
    const labels = encodeURIComponent(JSON.stringify(anyLabels(random)));
    const start = firstTs + random.below(hours * hourMs - length + 1);
    const end = start + length - 1;
    const selector = `metric=${anyMetric(random)}&labels=${labels}`;
    return getRequest(`/api/v1/query/range?${selector}&start=${String(start)}&end=${String(end)}`);
  };
  return { name: `range, ${name}`, make };
}

function query(name: string, text: (random: Random) => string): RequestKind {
  return {
    name: `query, ${name}`,
    make: (random) => jsonRequest('/api/v1/seriesql', text(random)),
  };
}

/** Half of the hours, an hour, or all of them are asked for. */
function requestKinds(hours: number): readonly RequestKind[] {
  const half = (hours / 2) * hourMs;
  return [
    range('an hour of a series', hours, hourMs),
    range('all of a series', hours, hours * hourMs),
    query('one host, one metric, 1 h by minute', (random) => {
      const series = `${anyMetric(random)}{host=${anyHost(random)}}`;
      return `select time_bucket(1m, time) as t, max(value) from ${series} where ${during(random, hours, hourMs)} group by t`;
    }),
    query('8 hosts, one metric, 1 h by minute', (random) => {
      const list = Array.from({ length: 8 }, () => anyHost(random)).join(', ');
      return `select time_bucket(1m, time) as t, max(value) from ${anyMetric(random)} where tag.host in (${list}) and ${during(random, hours, hourMs)} group by t`;
    }),
    query('one host, all metrics, half of it by minute', (random) => {
      return `select metric, time_bucket(1m, time) as t, max(value) from cpu.*{host=${anyHost(random)}} where ${during(random, hours, half)} group by metric, t`;
    }),
    query('all hosts, half of it by hour and host', (random) => {
      return `select tag.host, time_bucket(1h, time) as t, avg(value) from ${anyMetric(random)} where ${during(random, hours, half)} group by tag.host, t`;
    }),
    query('rows above a value, 1 h', (random) => {
      return `select time, tag.host, value from ${anyMetric(random)} where value > ${String(60 + random.below(40))} and ${during(random, hours, hourMs)}`;
    }),
    lastValues('every series'),
  ];
}

function lastValues(of: string): RequestKind {
  return query(`last value of ${of}`, (random) => {
    return `select metric, tag.host, last(value) from cpu.* where tag.host != ${anyHost(random)} group by metric, tag.host`;
  });
}
