/**
 * Compares this build with another one, in one run. Both get the same requests in turn, so that a
 * slow moment of the machine hits both. Every request has another host, metric and window. After a
 * restart, the first requests find no cache. Figures are ratios of this build to the other.
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
import { Connection, ingestRequest } from './connection.js';
import { buildLoad, fleetBodies, hourMs, loadBodies, stepMs } from './generator.js';
import { seed, type Stock } from './query/draw.js';
import type { Question } from './query/question.js';
import { rangeOf } from './query/range.js';
import {
  fleetStatements,
  monthStatements,
  statements,
  varianceStatements,
  yearStatements,
} from './query/statements.js';
import { daysOf, fillCompacted, spansOf } from './query/years.js';
import { median, type Measurement } from './report.js';

const hosts = 100;
/** Requests per question: first cold, right after a restart, while V8 compiles; then warm. */
const mostRounds = 1001;
const mostMs = 20_000;
/**
 * Hours of load with ten fields per line. Under a second of work, half of it would be code that is
 * not yet compiled.
 */
const ingestHours = { quick: 30, full: 120 };
/** Differences up to this are noise of the machine. A larger one is a slowdown of this build. */
const mostRatio = 1.03;
/**
 * Starts of both builds. Memory placement and V8's compilation make a process up to a quarter
 * slower for its whole life, even for one build. Ingest has more starts, since its row compares the
 * cheapest start of each build, in user mode: in a virtual machine, the first touch of a page waits
 * until the host has found memory, and the system counts that wait as its own time, 0.3 to 3.3 s
 * for the same build.
 */
const starts = { quick: 5, full: 7 };
const ingestStarts = { quick: 11, full: 15 };

interface Side {
  readonly server: Server;
  readonly connection: Connection;
}
type Pair = readonly [Side, Side];
/** Time in user mode of one start of both builds for the ingest of the same samples. */
interface Ingest {
  readonly name: string;
  readonly samples: number;
  readonly userSeconds: readonly [ours: number, theirs: number];
}

/** `rival` is the folder of the other build. REQUIRES: `npm run build` was run there. */
export async function measurePaired(rival: string, isQuick: boolean): Promise<Measurement[]> {
  const size = isQuick ? 'quick' : 'full';
  const ingests: Ingest[][] = [];
  const requests: Measurement[][] = [];
  for (let run = 0; run < ingestStarts[size]; run++) {
    const hasRequests = run < starts[size];
    const { ingest, asked } = await measureStart(rival, isQuick, hasRequests);
    ingests.push(ingest);
    if (hasRequests) requests.push(asked);
  }
  return [...cheapest(ingests), ...middles(requests)];
}

async function measureStart(
  rival: string,
  isQuick: boolean,
  hasRequests: boolean,
): Promise<{ readonly ingest: Ingest[]; readonly asked: Measurement[] }> {
  const hours = isQuick ? 13 : 25;
  const mains = [undefined, programOf(rival)] as const;
  const folders = [temporaryDirectory(), temporaryDirectory()] as const;
  const open = async (at: 0 | 1): Promise<Side> => {
    const server = await startServer({ dataDir: folders[at], program: mains[at] });
    return { server, connection: await Connection.open(server.port) };
  };
  let pair: Pair = [await open(0), await open(1)];
  try {
    const ingest = [
      await measureIngest(pair, 10, isQuick ? ingestHours.quick : ingestHours.full),
      await measureIngest(pair, 1, isQuick ? 8 : 40),
    ];
    for (const { server, connection } of pair) {
      connection.close();
      await server.stop();
    }
    const asked: Measurement[] = [];
    if (!hasRequests) return { ingest, asked };
    pair = [await open(0), await open(1)];
    const questions = questionsOf({ hosts, hours });
    for (const one of questions) asked.push(await measureRequests(pair, one, 'cold'));
    for (const one of questions) asked.push(await measureRequests(pair, one, 'warm'));
    return { ingest, asked };
  } finally {
    for (const { server } of pair) await server.kill();
    folders.forEach(removeDirectory);
  }
}

/** For each row and build, the start with the least CPU time. */
function cheapest(runs: readonly (readonly Ingest[])[]): Measurement[] {
  const [first = []] = runs;
  return first.map(({ name, samples }, row) => {
    const ofRow = runs.flatMap((run) => run[row] ?? []);
    const [ours, theirs] = ([0, 1] as const).map((side) =>
      ofRow.map(({ userSeconds }) => userSeconds[side]).sort((a, b) => a - b),
    ) as [number[], number[]];
    const [least = NaN, leastOfRival = NaN] = [ours[0], theirs[0]];
    const rate = (seconds: number): string => (samples / seconds / 1e6).toFixed(2);
    const all = (seconds: readonly number[]): string =>
      seconds.map((one) => one.toFixed(2)).join(', ');
    return {
      name: `${name}, CPU in user mode, cheapest start of each`,
      value: least / leastOfRival,
      unit: '×',
      target: { most: mostRatio },
      note:
        `${rate(least)} and ${rate(leastOfRival)} M samples/s of user mode; ` +
        `of ${all(ours)} s beside ${all(theirs)} s`,
    };
  });
}

/** The median run of each row, and the spread of the runs. */
function middles(runs: readonly (readonly Measurement[])[]): Measurement[] {
  const [first = []] = runs;
  return first.map((_, row) => {
    const ofRow = runs.flatMap((run) => run[row] ?? []).sort((a, b) => a.value - b.value);
    const middle = ofRow[ofRow.length >> 1];
    if (middle === undefined) throw new Error('there is a run');
    const all = ofRow.map(({ value }) => value.toFixed(2)).join(', ');
    return { ...middle, note: `${middle.note ?? ''}; of ${all}` };
  });
}

/** Ranges of one and of twelve hours of a series, and the questions of the query bench. */
function questionsOf(stock: Stock): readonly Question[] {
  const rangeOfHours = (count: number): Question =>
    rangeOf(stock, { points: count * (hourMs / stepMs) });
  return [rangeOfHours(1), rangeOfHours(12), ...statements(stock)];
}

/** The program of the other build; builds from before the bundle start from their modules. */
function programOf(rival: string): string {
  const bundle = path.join(rival, 'dist/bin/seriesdb.js');
  return existsSync(bundle) ? bundle : path.join(rival, 'dist/src/main.js');
}

/** Long ranges in few buckets, of segments that both builds have compacted. */
export async function measurePairedYears(rival: string, isQuick: boolean): Promise<Measurement[]> {
  const { days, hosts: fleet } = spansOf(isQuick);
  return [
    ...(await measureCompacted(rival, () => daysOf(1, days), yearStatements(days))),
    ...(await measureCompacted(rival, () => daysOf(fleet, 30), monthStatements(fleet))),
  ];
}

/** 4,000 hosts for seven hours; `--quick`: 400. */
export async function measurePairedFleet(rival: string, isQuick: boolean): Promise<Measurement[]> {
  const stock = { hosts: isQuick ? 400 : 4000, hours: 7 };
  const makeBodies = (): Iterable<Buffer> =>
    fleetBodies(stock.hosts, stock.hours * (hourMs / stepMs));
  return measureCompacted(rival, makeBodies, fleetStatements(stock));
}

/** Exact sums of squares, over a million samples of each kind of values. */
export async function measurePairedVariances(rival: string): Promise<Measurement[]> {
  const stock = { hosts: 20, hours: 15 };
  const steps = stock.hours * (hourMs / stepMs);
  const measurements: Measurement[] = [];
  for (const values of ['integer walk', '2-decimal walk', 'doubles'] as const) {
    const load = { hosts: stock.hosts, steps, fieldsPerLine: 10, values } as const;
    const rows = await measureCompacted(rival, () => loadBodies(load), varianceStatements(stock));
    measurements.push(...rows.map((row) => ({ ...row, name: `${values}, ${row.name}` })));
  }
  return measurements;
}

async function measureCompacted(
  rival: string,
  makeBodies: () => Iterable<Buffer>,
  questions: readonly Question[],
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
    for (const one of questions) measurements.push(await measureRequests(pair, one, 'cold'));
    return measurements;
  } finally {
    for (const server of servers) await server.kill();
    folders.forEach(removeDirectory);
  }
}

/** Each body goes to one side and then to the other; the sides take turns in being first. */
async function measureIngest(
  pair: Pair,
  fieldsPerLine: 1 | 10,
  loadHours: number,
): Promise<Ingest> {
  const steps = loadHours * (hourMs / stepMs);
  // Another share has other hosts.
  const share = fieldsPerLine === 10 ? 0 : 1;
  const load = buildLoad({ hosts, steps, fieldsPerLine, values: 'integer walk', share });
  const userOf = (): number[] => pair.map(({ server }) => server.userSeconds());
  const before = userOf();
  for (const [round, body] of load.bodies.entries()) {
    const request = ingestRequest(body);
    for (const side of inTurn(pair, round)) await exchange(side, request);
  }
  const [ours = NaN, theirs = NaN] = userOf().map((all, at) => all - (before[at] ?? 0));
  return {
    name: `ingest, ${fieldsPerLine === 1 ? 'one sample' : 'ten fields'} a line`,
    samples: load.samples,
    userSeconds: [ours, theirs],
  };
}

async function measureRequests(
  pair: Pair,
  question: Question,
  state: 'cold' | 'warm',
): Promise<Measurement> {
  // Warm requests concern other hosts, metrics and windows than the cold ones.
  const random = new Random(state === 'cold' ? seed : seed + 1);
  const times: [number[], number[]] = [[], []];
  const ratios: number[] = [];
  const before = cpuOf(pair);
  const end = performance.now() + mostMs;
  for (let round = 0; round < mostRounds && performance.now() < end; round++) {
    const request = question.make(random);
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
  const cpuMs = cpuOf(pair).map((all, at) => ((all - (before[at] ?? 0)) * 1000) / ratios.length);
  const text = (figures: readonly number[]): string =>
    figures.map((one) => one.toFixed(3)).join(' and ');
  return {
    name: `${question.name}, ${state}, middle of the ratios`,
    value: median(ratios),
    unit: '×',
    target: { most: mostRatio },
    note: `p50 ${text(times.map(median))} ms, CPU ${text(cpuMs)} ms`,
  };
}

const cpuOf = (pair: Pair): number[] => pair.map(({ server }) => server.cpuSeconds());

function inTurn(pair: Pair, round: number): Pair {
  return round % 2 === 0 ? pair : [pair[1], pair[0]];
}

async function exchange({ connection }: Side, request: Buffer): Promise<void> {
  const { status } = await connection.exchange(request);
  if (status !== 200) throw new Error(`a request was answered with ${String(status)}`);
}
