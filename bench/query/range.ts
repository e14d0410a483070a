/** Measures queries for the raw points of one series as JSON. */
import * as zlib from 'node:zlib';

import { parseSamples } from '../../test/support/client.js';
import { Random } from '../../test/support/random.js';
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../../test/support/server.js';

import { Connection, getRequest } from '../connection.js';
import { hourMs, labelsOf, loadBodies, stepMs } from '../generator.js';
import { reach } from '../reach.js';
import type { Measurement } from '../report.js';

import { askAll } from './ask.js';
import { draw, seed, type Draw, type Stock } from './draw.js';
import { askFresh } from './measure.js';
import { fillWith } from './query.js';
import type { Question } from './question.js';

const monthPoints = 259_200;
const repetitions = 20;
/** One day more than a month, so that a month may begin at another moment each time. */
const stock: Stock = { hosts: 4, hours: 31 * 24 };
const questions: readonly Question[] = [
  rangeOf(stock, { points: 8_640, reach: reach.rangeOfDay }),
  rangeOf(stock, { points: monthPoints, reach: reach.rangeOfMonth }),
  rangeOf(stock, { points: 360 }),
];

/** From segments after a restart, from memory as ingested, and in each encoding of answers. */
export async function measureRange(): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  try {
    const server = await startServer({ dataDir });
    const steps = stock.hours * (hourMs / stepMs);
    const shape = { hosts: stock.hosts, steps, fieldsPerLine: 10, values: 'integer walk' } as const;
    await fillWith(server, loadBodies(shape));
    const ingested: Measurement[] = [];
    for (const one of questions) ingested.push(await readIngested(server, one));
    await server.stop();
    const read = await askFresh(dataDir, questions);
    return [...read, ...ingested, ...(await readCodings(dataDir))];
  } finally {
    removeDirectory(dataDir);
  }
}

interface RangeWanted {
  readonly points: number;
  readonly reach?: Question['reach'];
}

/** `points` points of a random series from a random time on. */
export function rangeOf(of: Stock, { points, reach: wanted }: RangeWanted): Question {
  const drawn = (random: Random) => draw(random, of, { lengthMs: points * stepMs });
  return {
    name: `range, ${points.toLocaleString('en')} points as JSON`,
    make: (random) => rangeRequest(drawn(random)),
    isRight: (body) => parseSamples(body).length === points,
    inWords: (words) => (random) => words.samples(drawn(random)),
    ...(wanted && { reach: wanted }),
  };
}

/** The request names the drawn host by all of its labels. */
function rangeRequest(asked: Draw, coding?: string): Buffer {
  const [host = '', metric = ''] = [...asked.hosts, ...asked.metrics];
  const labels = encodeURIComponent(JSON.stringify(labelsOf(Number(host.split('_').at(-1)))));
  const window = `start=${String(asked.start)}&end=${String(asked.end - 1)}`;
  return getRequest(`/api/v1/query/range?metric=cpu.${metric}&labels=${labels}&${window}`, coding);
}

async function readIngested(server: Server, { name, make }: Question): Promise<Measurement> {
  const random = new Random(seed);
  const requests = Array.from({ length: 2 * repetitions }, () => make(random));
  const { p50Ms } = await askAll(server, requests, { connections: 1, mostMs: 3_000 });
  return { name: `${name}, p50`, value: p50Ms, unit: 'ms', note: 'as ingested' };
}

/** Encodings of answers, and no encoding for comparison. */
const hasZstd = 'createZstdCompress' in zlib;
const codings = ['identity', 'gzip', 'br', ...(hasZstd ? ['zstd'] : [])];

/** The cost of a month's points for the server and for the network. */
async function readCodings(dataDir: string): Promise<Measurement[]> {
  const server = await startServer({ dataDir });
  const measurements: Measurement[] = [];
  for (const coding of codings) measurements.push(...(await readCoded(server, coding)));
  await server.stop();
  return measurements;
}

async function readCoded(server: Server, coding: string): Promise<Measurement[]> {
  const random = new Random(seed);
  const makeOne = (): Buffer =>
    rangeRequest(draw(random, stock, { lengthMs: monthPoints * stepMs }), coding);
  const connection = await Connection.open(server.port);
  const { bytes } = await connection.exchange(makeOne());
  connection.close();
  const requests = Array.from({ length: repetitions }, makeOne);
  const { p50Ms, cpuMs } = await askAll(server, requests, { connections: 1, mostMs: 10_000 });
  const name = `range, a month, ${coding}`;
  return [
    { name: `${name}, p50`, value: p50Ms, unit: 'ms' },
    { name: `${name}, CPU of the server`, value: cpuMs, unit: 'ms' },
    { name: `${name}, on the wire`, value: bytes / 2 ** 20, unit: 'MiB' },
  ];
}
