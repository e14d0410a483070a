/**
 * What a further listener thread adds: the same requests to one thread and to two, by `wrk`, whose
 * share of the cores is small; a client in JavaScript would take one core for itself. Where there
 * are two cores, it and the server still share them.
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
import { hourMs, labelsOf, loadBodies, metrics, stepMs } from './generator.js';
import { smallRequests } from './ingest/requests.js';
import { seed } from './query/draw.js';
import { fillWith } from './query/query.js';
import { statements } from './query/statements.js';
import { reach } from './reach.js';
import type { Measurement } from './report.js';

const stock = { hosts: 100, hours: 13 };
const connections = 64;
const kRequests = 4_000;
/** Between two requests in the file that wrk reads. */
const kBetween = '\0\0';

interface Load {
  readonly name: string;
  readonly requests: readonly Buffer[];
}

interface Told {
  readonly perSecond: number;
  /** Of the server, for each request. */
  readonly cpuMs: number;
  /** That the server had. */
  readonly cores: number;
}

export async function measureCores(isQuick: boolean): Promise<Measurement[]> {
  if (spawnSync('wrk', ['-v']).error !== undefined) {
    throw new Error('wrk makes the load; it is a package of Debian of that name');
  }
  const rows: Measurement[] = [];
  for (const load of loads()) {
    const one = await measureLoad(load, 1, isQuick);
    const two = await measureLoad(load, 2, isQuick);
    rows.push({
      name: `${load.name}, two listener threads by one`,
      value: two.perSecond / one.perSecond,
      unit: '×',
      target: { least: reach.secondThread },
      note: `${textOf(one)}; ${textOf(two)}`,
    });
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
    { name: 'ingest, 10 lines', requests: smallRequests(0, kRequests) },
    { name: 'discovery, a series by its labels', requests: many(found) },
  ];
}

async function measureLoad(load: Load, threads: number, isQuick: boolean): Promise<Told> {
  const dataDir = temporaryDirectory();
  const folder = temporaryDirectory();
  const server = await startServer({ dataDir, args: listenerFlags(threads) });
  try {
    await allThreadsServe(askingOf(server.port), threads);
    const shape = { hosts: stock.hosts, steps: stock.hours * (hourMs / stepMs) };
    await fillWith(server, loadBodies({ ...shape, fieldsPerLine: 10, values: 'integer walk' }));
    const [script, requests] = [path.join(folder, 'wrk.lua'), path.join(folder, 'requests')];
    writeFileSync(requests, Buffer.concat(load.requests.flatMap(withEnd)));
    writeFileSync(script, scriptFor(requests));
    runWrk(server, script, 3);
    return runWrk(server, script, isQuick ? 4 : 10);
  } finally {
    await server.kill();
    removeDirectory(dataDir);
    removeDirectory(folder);
  }
}

const withEnd = (request: Buffer): Buffer[] => [request, Buffer.from(kBetween)];

/** They are sent as they are, one after the other. */
const scriptFor = (file: string): string => `
local all, at = {}, 0
function init()
  local text = io.open('${file}', 'rb'):read('*a')
  local from = 1
  while from < #text do
    local to = text:find('\\0\\0', from, true)
    all[#all + 1] = text:sub(from, to - 1)
    from = to + 2
  end
end
function request()
  at = at % #all + 1
  return all[at]
end
`;

function runWrk(server: Server, script: string, seconds: number): Told {
  const flags = ['-t1', `-c${String(connections)}`, `-d${String(seconds)}s`, '-s', script];
  const [cpuBefore, began] = [server.cpuSeconds(), performance.now()];
  const { stdout } = spawnSync('wrk', [...flags, server.url], { encoding: 'utf8' });
  const wall = (performance.now() - began) / 1e3;
  const cpu = server.cpuSeconds() - cpuBefore;
  const count = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  if (!(count > 0) || stdout.includes('Non-2xx')) throw new Error(`wrk says ${stdout}`);
  return { perSecond: count / wall, cpuMs: (cpu / count) * 1e3, cores: cpu / wall };
}
