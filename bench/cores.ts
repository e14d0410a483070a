/**
 * Measures the gain of a second core, by `wrk`, with the same requests. First, server and client
 * share one core, with one listener thread. Then one thread runs on two cores: the client and the
 * server's other work already use the second core. Last, two threads run on two cores. A JavaScript
 * client would use most of a core itself.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { allThreadsServe, askingOf, listenerFlags } from '../test/support/listener-threads.js';
import { Random } from '../test/support/random.js';
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { jsonRequest } from './connection.js';
import { firstTs, hourMs, labelsOf, loadBodies, metrics, stepMs } from './generator.js';
import { kSmallHosts, smallRequests } from './ingest/requests.js';
import { seed } from './query/draw.js';
import { fillWith } from './query/query.js';
import { statements } from './query/statements.js';
import { reach } from './reach.js';
import type { Measurement } from './report.js';

const stock = { hosts: 100, hours: 13 };
/** Enough that no core waits for the disk, which then answers several hundred at once. */
const connections = 256;
/** Times after all earlier writes, for the warm-up and for the measurement. */
const yearMs = 365 * 24 * hourMs;
const begins = { first: firstTs + yearMs, measured: firstTs + 2 * yearMs };
/** The same number for each host. */
const kRequests = 64 * kSmallHosts;
/** Marks in wrk's input file: between two requests, and at the place of a time. */
const kBetween = '\0\0';
const kTime = '\x01';

interface Load {
  readonly name: string;
  readonly requests: readonly Buffer[];
}

/** Server and client together. `cores` are numbers for `taskset`. */
interface Share {
  readonly threads: number;
  readonly cores: string;
}

interface Told {
  readonly perSecond: number;
  /** CPU time of the server per request. */
  readonly cpuMs: number;
  /** The number of cores that the server used. */
  readonly cores: number;
}

export async function measureCores(isQuick: boolean): Promise<Measurement[]> {
  for (const program of ['wrk', 'taskset']) {
    if (spawnSync(program, ['--version']).error === undefined) continue;
    throw new Error(`there is no ${program}; packages of Debian are wrk and util-linux`);
  }
  const rows: Measurement[] = [];
  for (const load of loads()) {
    const alone = await measureLoad(load, { threads: 1, cores: '0' }, isQuick);
    const one = await measureLoad(load, { threads: 1, cores: '0,1' }, isQuick);
    const two = await measureLoad(load, { threads: 2, cores: '0,1' }, isQuick);
    const note = (told: Told): string => `${textOf(told)}; ${textOf(two)}`;
    rows.push(
      {
        name: `${load.name}, two cores by one`,
        value: two.perSecond / alone.perSecond,
        unit: '×',
        target: { least: reach.secondCore },
        note: note(alone),
      },
      {
        name: `${load.name}, two listener threads by one, on two cores`,
        value: two.perSecond / one.perSecond,
        unit: '×',
        note: note(one),
      },
    );
  }
  return rows;
}

const textOf = ({ perSecond, cpuMs, cores }: Told): string =>
  `${perSecond.toFixed(0)}/s on ${cores.toFixed(2)} cores, ${(cpuMs * 1e3).toFixed(1)} µs each`;

function loads(): readonly Load[] {
  const random = new Random(seed);
  const [question] = statements(stock);
  const many = (make: (at: number) => Buffer): Buffer[] =>
    Array.from({ length: kRequests }, (_, at) => make(at));
  const metric = `cpu.${metrics[0] ?? ''}`;
  const found = (at: number): Buffer => {
    const labels = labelsOf(at % stock.hosts);
    return jsonRequest('/api/v1/series/find', JSON.stringify({ metric, labels }));
  };
  return [
    ...(question ? [{ name: question.name, requests: many(() => question.make(random)) }] : []),
    { name: 'ingest, 10 lines', requests: smallWrites() },
    { name: 'discovery, a series by its labels', requests: many(found) },
  ];
}

async function measureLoad(load: Load, share: Share, isQuick: boolean): Promise<Told> {
  const { threads, cores } = share;
  const dataDir = temporaryDirectory();
  const folder = temporaryDirectory();
  const server = await startServer({ dataDir, args: listenerFlags(threads) });
  try {
    await allThreadsServe(askingOf(server.port), threads);
    const shape = { hosts: stock.hosts, steps: stock.hours * (hourMs / stepMs) };
    await fillWith(server, loadBodies({ ...shape, fieldsPerLine: 10, values: 'integer walk' }));
    const requests = path.join(folder, 'requests');
    writeFileSync(requests, Buffer.concat(load.requests.flatMap(withEnd)));
    pin(server, cores);
    runWrk(server, { requests, cores, from: begins.first, seconds: 3 });
    return runWrk(server, { requests, cores, from: begins.measured, seconds: isQuick ? 4 : 10 });
  } finally {
    await server.kill();
    removeDirectory(dataDir);
    removeDirectory(folder);
  }
}

const withEnd = (request: Buffer): Buffer[] => [request, Buffer.from(kBetween)];

/** Requests without times: each send gets a later time, so that nothing is stored twice. */
function smallWrites(): readonly Buffer[] {
  const times = /(?<="ts":)\d+/g;
  const timeless = (request: Buffer): Buffer =>
    Buffer.from(request.toString('latin1').replace(times, kTime), 'latin1');
  return smallRequests(0, kRequests).map(timeless);
}

/** A wrk script that sends the requests one after the other, with times from `from` on. */
const scriptFor = (file: string, from: number): string => `
local all, at, sent = {}, 0, 0
local function parts(text)
  local found, begin = {}, 1
  while true do
    local to = text:find('\\1', begin, true)
    if not to then break end
    found[#found + 1] = text:sub(begin, to - 1)
    begin = to + 1
  end
  found[#found + 1] = text:sub(begin)
  return found
end
function init()
  local text = io.open('${file}', 'rb'):read('*a')
  local begin = 1
  while begin < #text do
    local to = text:find('\\0\\0', begin, true)
    all[#all + 1] = parts(text:sub(begin, to - 1))
    begin = to + 2
  end
end
function request()
  at = at % #all + 1
  if #all[at] == 1 then return all[at][1] end
  local time = ${String(from)} + math.floor(sent / ${String(kSmallHosts)}) * ${String(stepMs)}
  sent = sent + 1
  return table.concat(all[at], string.format('%d', time))
end
`;

/** Pins all threads of the server; threads that they start inherit this. */
function pin(server: Server, cores: string): void {
  const { status, stderr } = spawnSync('taskset', ['-acp', cores, String(server.pid)]);
  if (status !== 0) throw new Error(`taskset says ${String(stderr)}`);
}

interface Run {
  /** The file with the requests. */
  readonly requests: string;
  readonly cores: string;
  readonly from: number;
  readonly seconds: number;
}

function runWrk(server: Server, { requests, cores, from, seconds }: Run): Told {
  const script = `${requests}.lua`;
  writeFileSync(script, scriptFor(requests, from));
  const flags = ['-t1', `-c${String(connections)}`, `-d${String(seconds)}s`, '-s', script];
  const [cpuBefore, began] = [server.cpuSeconds(), performance.now()];
  const { stdout } = spawnSync('taskset', ['-c', cores, 'wrk', ...flags, server.url], {
    encoding: 'utf8',
  });
  const wall = (performance.now() - began) / 1e3;
  const cpu = server.cpuSeconds() - cpuBefore;
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (!(count > 0) || stdout.includes('Non-2xx')) throw new Error(`wrk says ${stdout}`);
  return { perSecond: count / wall, cpuMs: (cpu / count) * 1e3, cores: cpu / wall };
}
