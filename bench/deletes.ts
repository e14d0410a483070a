/** Measures the wait of small ingests and queries during the deletion of a large metric. */
import { setTimeout as sleep } from 'node:timers/promises';

import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../test/support/server.js';

import { Connection, ingestRequest, jsonRequest } from './connection.js';
import { percentile, type Measurement } from './report.js';

const mostDelayMs = 5;
const seriesPerBody = 10_000;
/**
 * The pause between two requests of a prober, so that the prober waits for the server and not the
 * reverse.
 */
const pauseMs = 2;

interface DeleteKind {
  readonly name: string;
  /** Times of each series' samples in segments, and in memory. */
  readonly flushed: readonly number[];
  readonly kept: readonly number[];
  /** The statement after `delete from`; it concerns the metric `gone`. */
  readonly text: string;
}

const six = { flushed: [1_000, 2_000, 3_000], kept: [4_000, 5_000, 6_000] };
const kinds: readonly DeleteKind[] = [
  {
    ...{ name: 'a delete', flushed: [1_000], kept: [2_000] },
    text: 'gone where time between 0 and 5000',
  },
  {
    ...{ name: 'a delete that leaves both ends', ...six },
    text: 'gone where time between 2000 and 5000',
  },
  {
    ...{ name: 'a delete by a pattern', ...six },
    text: "gone{host=~'[02468]$'} where time between 0 and 9000",
  },
  {
    ...{ name: 'a delete of two ranges', ...six },
    text: 'gone where time between 0 and 2000 or time between 5000 and 9000',
  },
];

/**
 * Deletes one metric whose series were flushed and then written again. So each series is in a
 * segment and in memory.
 */
export async function measureBesideDelete(isQuick: boolean): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const kind of kinds) measurements.push(...(await measureKind(kind, isQuick)));
  return measurements;
}

async function measureKind(kind: DeleteKind, isQuick: boolean): Promise<Measurement[]> {
  const seriesCount = isQuick ? 60_000 : 300_000;
  const dataDir = temporaryDirectory();
  let server = await startServer({ dataDir });
  try {
    for (const ts of kind.flushed) await store(server, bodiesOf(seriesCount, ts));
    // A stop flushes.
    await server.stop();
    server = await startServer({ dataDir });
    for (const ts of kind.kept) await store(server, bodiesOf(seriesCount, ts));
    const alone = await probe(server, () => sleep(2_000));
    let deleteMs = 0;
    const beside = await probe(server, async () => {
      await sleep(200);
      deleteMs = await deleteMsOf(server, kind.text);
      await sleep(200);
    });
    return [
      ...(['ingest', 'query'] as const).flatMap((asked) =>
        rowsOf(`${asked} beside ${kind.name}`, alone[asked], beside[asked]),
      ),
      { name: `${kind.name}, ${String(seriesCount)} series`, value: deleteMs, unit: 'ms' },
    ];
  } finally {
    await server.kill();
    removeDirectory(dataDir);
  }
}

async function deleteMsOf(server: Server, text: string): Promise<number> {
  const connection = await Connection.open(server.port);
  const started = performance.now();
  const request = jsonRequest('/api/v1/seriesql', `delete from ${text}`);
  const answer = await connection.exchange(request, { keepText: true });
  const tookMs = performance.now() - started;
  connection.close();
  if (answer.status !== 200) throw new Error(`the delete was answered with ${answer.text}`);
  return tookMs;
}

async function store(server: Server, bodies: Iterable<Buffer>): Promise<void> {
  const connection = await Connection.open(server.port);
  await connection.ingest(bodies);
  connection.close();
}

/** The delay of answers compared with no deletion: at the 99th percentile, and the worst. */
function rowsOf(name: string, alone: readonly number[], beside: readonly number[]): Measurement[] {
  const parts = [
    ['p99', 0.99],
    ['worst', 1],
  ] as const;
  return parts.map(([part, share]) => {
    const [besideMs, aloneMs] = [percentile(beside, share), percentile(alone, share)];
    return {
      name: `${name}, later by (${part})`,
      value: Math.max(0, besideMs - aloneMs),
      unit: 'ms',
      target: { most: mostDelayMs },
      note: `${String(beside.length)} requests; ${besideMs.toFixed(1)} ms, alone ${aloneMs.toFixed(1)}`,
    };
  });
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

/** The duration in milliseconds of each of many small requests during `work`. */
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
  // The first requests open files and compile code.
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
