/** How long a small ingest and a small query wait while all of a large metric is deleted. */
import { setTimeout as sleep } from 'node:timers/promises';

import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, ingestRequest, jsonRequest } from './connection.js';
import { type Measurement } from './report.js';

const mostDelayMs = 5;
const seriesPerBody = 10_000;
/** Between two questions of a prober, so that it waits for the server and not the other way. */
const pauseMs = 2;

/** Of one metric, flushed and then written again: each series lies in a segment and in memory. */
export async function measureBesideDelete(isQuick: boolean): Promise<Measurement[]> {
  const seriesCount = isQuick ? 60_000 : 300_000;
  const dataDir = temporaryDirectory();
  let server = await startServer({ dataDir });
  try {
    await store(server, bodiesOf(seriesCount, 1_000));
    // Its end flushes.
    await server.stop();
    server = await startServer({ dataDir });
    await store(server, bodiesOf(seriesCount, 2_000));
    const connection = await Connection.open(server.port);
    const alone = await probe(server, () => sleep(2_000));
    let deleteMs = 0;
    const beside = await probe(server, async () => {
      await sleep(200);
      const started = performance.now();
      const answer = await connection.exchange(
        jsonRequest('/api/v1/seriesql', 'delete from gone where time between 0 and 5000'),
        { keepText: true },
      );
      deleteMs = performance.now() - started;
      if (answer.status !== 200) throw new Error(`the delete was answered with ${answer.text}`);
      await sleep(200);
    });
    connection.close();
    return [
      ...(['ingest', 'query'] as const).flatMap((kind) => rowsOf(kind, alone[kind], beside[kind])),
      { name: `delete of ${String(seriesCount)} series`, value: deleteMs, unit: 'ms' },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function store(server: Server, bodies: Iterable<Buffer>): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies);
  connection.close();
}

function rowsOf(kind: string, alone: readonly number[], beside: readonly number[]): Measurement[] {
  const delay = percentile(beside, 0.99) - percentile(alone, 0.99);
  const worst = (figures: readonly number[]): string => Math.max(...figures).toFixed(1);
  return [
    {
      name: `${kind} beside a delete, later by (p99)`,
      value: Math.max(0, delay),
      unit: 'ms',
      target: { most: mostDelayMs },
      note: `${String(beside.length)} requests; worst ${worst(beside)} ms, alone ${worst(alone)}`,
    },
  ];
}

function percentile(figures: readonly number[], part: number): number {
  const sorted = [...figures].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

function* bodiesOf(seriesCount: number, ts: number): Generator<Buffer> {
  for (let from = 0; from < seriesCount; from += seriesPerBody) {
    const lines = Array.from({ length: seriesPerBody }, (_, at) => {
      const labels = `{"host":"h${String(from + at)}","region":"r${String(at % 7)}"}`;
      return `{"metric":"gone","labels":${labels},"ts":${String(ts)},"value":1}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

interface Waits {
  readonly ingest: readonly number[];
  readonly query: readonly number[];
}

/** Milliseconds that each of many small requests took while `work` went on. */
async function probe(server: Server, work: () => Promise<unknown>): Promise<Waits> {
  const state = { isOver: false };
  const line = '{"metric":"kept","ts":1000,"value":1}\n';
  const ingest = ask(server, ingestRequest(Buffer.from(line)), state);
  const text = 'select value from kept where time between 0 and 5000';
  const query = ask(server, jsonRequest('/api/v1/seriesql', text), state);
  try {
    await work();
  } finally {
    state.isOver = true;
  }
  return { ingest: await ingest, query: await query };
}

async function ask(
  server: Server,
  request: Buffer,
  state: { readonly isOver: boolean },
): Promise<readonly number[]> {
  const connection = await Connection.open(server.port);
  const waits: number[] = [];
  // The first ones open files and compile code.
  for (let asked = 0; !state.isOver; asked++) {
    const started = performance.now();
    const { status } = await connection.exchange(request);
    if (asked >= 20) waits.push(performance.now() - started);
    if (status !== 200 && asked >= 20) throw new Error(`answered with ${String(status)}`);
    await sleep(pauseMs);
  }
  connection.close();
  return waits;
}
