/** Measures discovery in a database of a million series, and the rate of streaming all of them. */
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, bodyText, getRequest, jsonRequest } from './connection.js';
import { buildLoad, metrics } from './generator.js';
import { median, type Measurement } from './report.js';

const repetitions = 50;
const passes = 3;

interface Question {
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | string;
  /** A part that a correct answer contains. */
  readonly holds: RegExp;
}

const metric = `cpu.${metrics[0] ?? ''}`;
const oneHost = { host: 'host_0_17', region: 'us-east-1' };
const questions: readonly Question[] = [
  {
    name: 'label values, 4 regions',
    path: 'labels/values',
    body: { key: 'region' },
    holds: /"ap-south-1","eu-central-1"/,
  },
  {
    name: 'label values, 100 hosts by prefix',
    path: 'labels/values',
    body: { key: 'host', prefix: 'host_0_9', limit: 100 },
    holds: /"host_0_9"/,
  },
  {
    name: 'label values, 100 hosts of one metric',
    path: 'labels/values',
    body: { key: 'host', metric, limit: 100 },
    holds: /"host_0_0"/,
  },
  {
    name: 'ids by two labels',
    path: 'query/find',
    body: { tags: oneHost },
    holds: /^\[\d+(,\d+){9}\]$/,
  },
  {
    name: 'series of a metric by two labels',
    path: 'series/find',
    body: { metric, labels: oneHost },
    holds: /"host":"host_0_17"/,
  },
  {
    name: 'series by two common labels, limit 100',
    path: 'series/find',
    body: { metric, labels: { region: 'us-east-1', rack: '17' }, limit: 100 },
    holds: /"rack":"17"/,
  },
  {
    name: 'series of one metric, limit 100',
    path: 'series/find',
    body: { metric, limit: 100 },
    holds: /"series_id":/,
  },
  {
    name: 'metric list',
    path: 'metrics/find',
    body: {},
    holds: /"label_keys":\["host","rack","region"\]/,
  },
];

interface Statement {
  readonly name: string;
  readonly text: string;
  readonly holds: RegExp;
  readonly mostMs: number;
}

const statements: readonly Statement[] = [
  {
    name: 'metrics',
    text: 'show metrics',
    holds: /\["cpu\.usage_user"\]/,
    mostMs: 5,
  },
  {
    name: 'labels',
    text: 'show labels from cpu.*',
    holds: /\["host"\],\["rack"\],\["region"\]/,
    mostMs: 5,
  },
  {
    name: 'label values, 4 regions',
    text: 'show label values for region',
    holds: /\["ap-south-1"\],\["eu-central-1"\]/,
    mostMs: 5,
  },
  {
    name: 'label values, 100 hosts of one metric',
    text: `show label values for host from ${metric} limit 100`,
    holds: /\["host_0_0"\]/,
    mostMs: 5,
  },
  {
    name: 'series of one host',
    text: "show series from cpu.* where tag.host = 'host_0_17'",
    holds: /host_0_17/,
    mostMs: 5,
  },
  {
    name: 'label of 100 series',
    text: `select tag.host from ${metric} where tag.rack = '17' limit 100`,
    holds: /\["host_0_\d*17"\]/,
    mostMs: 5,
  },
  {
    name: 'series by a pattern over all hosts, limit 10',
    text: `show series from ${metric} where tag.host =~ '_99.7$' limit 10`,
    holds: /host_0_99.7/,
    mostMs: 100,
  },
];

/** Ten metrics of 100,000 hosts with three labels each. */
export async function measureDiscovery(isQuick: boolean): Promise<Measurement[]> {
  const hosts = isQuick ? 10_000 : 100_000;
  const load = buildLoad({ hosts, steps: 1, fieldsPerLine: 10, values: 'integer walk' });
  const dataDir = temporaryDirectory();
  const server = await startServer({ dataDir });
  try {
    const connection = await Connection.open(server.port);
    await connection.ingest(load.bodies);
    const note = `${(load.samples / 1e6).toFixed(1)} M series`;
    const measurements: Measurement[] = [];
    for (const question of questions) {
      measurements.push({
        name: `discovery, ${question.name}, p50`,
        value: await askOften(connection, question),
        unit: 'ms',
        target: { most: 1 },
        note: `${note}, by the client's clock`,
      });
    }
    measurements.push(...(await streamAll(server, connection, note)));
    for (const { name, text, holds, mostMs } of statements) {
      measurements.push({
        name: `show, ${name}, p50`,
        value: await askOften(connection, { name, path: 'seriesql', body: text, holds }),
        unit: 'ms',
        target: { most: mostMs },
        note,
      });
    }
    measurements.push(await streamShow(connection, note));
    measurements.push(await waitBeside(server, connection, hosts));
    connection.close();
    return measurements;
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

/** The wait of other requests while a pattern tests all hosts and selects them all. */
async function waitBeside(
  server: Server,
  connection: Connection,
  hosts: number,
): Promise<Measurement> {
  const text = `select count(*) from ${metric} where tag.host =~ '.' and time >= 0`;
  const request = jsonRequest('/api/v1/seriesql', text);
  const health = getRequest('/health');
  const other = await Connection.open(server.port);
  const longest: number[] = [];
  for (let run = 0; run < repetitions; run++) {
    const running = { status: 0 };
    const asked = connection.exchange(request).then(({ status }) => {
      running.status = status;
    });
    let most = 0;
    while (running.status === 0) {
      const started = performance.now();
      await other.exchange(health);
      most = Math.max(most, performance.now() - started);
    }
    await asked;
    if (running.status !== 200) throw new Error(`a query was answered with ${running.status}`);
    longest.push(most);
  }
  other.close();
  return {
    name: 'health beside a query by a pattern, longest wait, p50',
    value: median(longest),
    unit: 'ms',
    target: { most: 5 },
    note: `${hosts.toLocaleString('en')} label values tested and selected`,
  };
}

async function askOften(connection: Connection, question: Question): Promise<number> {
  const { body } = question;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const request = jsonRequest(`/api/v1/${question.path}`, text);
  const first = await connection.exchange(request, { keepText: true });
  if (first.status !== 200 || !question.holds.test(bodyText(first))) {
    throw new Error(`${question.name} was answered with ${first.text.slice(0, 300)}`);
  }
  const times: number[] = [];
  for (let run = 0; run < repetitions; run++) {
    const started = performance.now();
    await connection.exchange(request);
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Every series as JSON, metric by metric: the best of several passes, and their memory. */
async function streamAll(
  server: Server,
  connection: Connection,
  note: string,
): Promise<Measurement[]> {
  const requests = metrics.map((name) =>
    jsonRequest('/api/v1/series/find', JSON.stringify({ metric: `cpu.${name}` })),
  );
  const memory: number[] = [];
  const rates: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    let bytes = 0;
    const started = performance.now();
    for (const request of requests) {
      const answer = await connection.exchange(request);
      if (answer.status !== 200) throw new Error(`series/find said ${String(answer.status)}`);
      bytes += answer.bytes;
    }
    rates.push(bytes / 1e6 / ((performance.now() - started) / 1000));
    memory.push(server.residentBytes() / 2 ** 20);
  }
  return [
    {
      name: 'discovery, all series streamed',
      value: Math.max(...rates),
      unit: 'MB/s',
      target: { least: 300 },
      note: `${note}, metric by metric, client on the same machine`,
    },
    {
      name: 'discovery, growth of memory from the first pass to the last',
      value: (memory.at(-1) ?? NaN) - (memory[0] ?? NaN),
      unit: 'MiB',
      target: { most: 32 },
      note: `${String(passes)} passes, ${(memory[0] ?? NaN).toFixed(0)} MiB resident after one`,
    },
  ];
}

/** All series by SHOW: the best of several passes. */
async function streamShow(connection: Connection, note: string): Promise<Measurement> {
  const request = jsonRequest('/api/v1/seriesql', 'show series from cpu.*');
  let best = 0;
  for (let pass = 0; pass < passes; pass++) {
    const started = performance.now();
    const { status, bytes } = await connection.exchange(request);
    if (status !== 200) throw new Error(`show series said ${String(status)}`);
    best = Math.max(best, bytes / 1e6 / ((performance.now() - started) / 1000));
  }
  return {
    name: 'show, all series streamed',
    value: best,
    unit: 'MB/s',
    target: { least: 100 },
    note: `${note}, in one answer`,
  };
}
