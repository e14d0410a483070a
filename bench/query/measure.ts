/**
 * Measures a question as dashboards send it: every request reads other data. It asks a server that
 * has just started and a warm one, on one connection and on eight. The row `repeated` sends the
 * same statement again and again. It flatters, since the server caches the statement.
 */
import { Random } from '../../test/support/random.js';
import {
  removeDirectory,
  startServer,
  temporaryDirectory,
  type Server,
} from '../../test/support/server.js';

import { startWithAdmin } from '../admin.js';
import { Connection, bodyText } from '../connection.js';
import type { Measurement } from '../report.js';

import { askAll, type Asked, type Plan, type Tally } from './ask.js';
import { seed } from './draw.js';
import type { Question } from './question.js';

const coldCount = 300;
/** Sweeps over thousands of hosts return more rows than the server's default limit. */
const args = ['--max-query-rows', '100000000'];
/** Long enough that the server's JavaScript is compiled. */
const warmUp: Plan = { connections: 1, mostMs: 2_000 };
/** Long enough that the server caches a repeated statement. */
const recall: Plan = { connections: 1, mostMs: 300 };
const cold: Plan = { connections: 1, mostMs: 3_000 };
const alone: Plan = { connections: 1, mostMs: 1_500 };
const together: Plan = { connections: 8, mostMs: 1_500 };
/** More requests than a plan has time for. */
const mostCount = 40_000;
/** The limit of all prebuilt requests, in bytes. */
const mostBytes = 256 << 20;

/** Fills a database, and sends each question to a newly started server. */
export async function measureQuestions(
  fill: (server: Server) => Promise<void>,
  questions: readonly Question[],
): Promise<Measurement[]> {
  const dataDir = temporaryDirectory();
  try {
    const server = await startWithAdmin(dataDir);
    await fill(server);
    await server.stop();
    return await askFresh(dataDir, questions);
  } finally {
    removeDirectory(dataDir);
  }
}

/** Each question is the first one of its server. */
export async function askFresh(
  dataDir: string,
  questions: readonly Question[],
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const one of questions) {
    const server = await startServer({ dataDir, args });
    measurements.push(...(await measureQuestion(server, one)));
    await server.stop();
  }
  return measurements;
}

/** REQUIRES: the server has not answered any query. */
async function measureQuestion(server: Server, question: Question): Promise<Measurement[]> {
  const found = await askColdAndWarm(server, question.make);
  await checkAnswer(server, question);
  const same = question.make(new Random(seed));
  const repeat = (plan: Plan): Promise<Tally> =>
    askAll(server, Array<Buffer>(mostCount).fill(same), plan);
  await repeat(recall);
  const repeated = { alone: await repeat(alone), together: await repeat(together) };
  return [...variedRows(question, found), repeatedRow(question, repeated)];
}

interface Warm {
  readonly alone: Tally;
  readonly together: Tally;
}
interface Varied extends Warm {
  readonly cold: Tally;
}

/** Varied requests only, from the first request of a server on. */
export async function askColdAndWarm(server: Asked, make: Question['make']): Promise<Varied> {
  const random = new Random(seed);
  const some = (count: number): Buffer[] => Array.from({ length: count }, () => make(random));
  const early = some(coldCount);
  const first = await askAll(server, early, cold);
  const rest = some(countFor(first, early[0]?.length ?? 0));
  await askAll(server, rest.splice(0, rest.length / 6), warmUp);
  const one = await askAll(server, rest.splice(0, rest.length / 3), alone);
  return { cold: first, alone: one, together: await askAll(server, rest, together) };
}

/** The number of requests after the cold ones, if warm ones are at most eight times as fast. */
function countFor({ p50Ms }: Tally, sizeBytes: number): number {
  const ahead = (warmUp.mostMs + alone.mostMs + 2 * together.mostMs) / (p50Ms / 8);
  return Math.ceil(Math.min(2 * mostCount, mostBytes / sizeBytes, Math.max(64, ahead)));
}

async function checkAnswer(server: Server, { name, make, isRight }: Question): Promise<void> {
  const connection = await Connection.open(server.port);
  const text = bodyText(await connection.exchange(make(new Random(seed)), { keepText: true }));
  connection.close();
  if (!isRight(text)) throw new Error(`${name}: ${text.slice(-300)}`);
}

function variedRows({ name, reach }: Question, found: Varied): Measurement[] {
  const most = (figure: number | undefined): Pick<Measurement, 'target'> =>
    figure === undefined ? {} : { target: { most: figure } };
  const least = reach?.perSecond;
  const { alone: one, together: eight } = found;
  return [
    {
      ...{ name: `${name}, p50`, value: one.p50Ms, unit: 'ms', ...most(reach?.p50Ms) },
      note: `p99 ${ms(one.p99Ms)}; ${String(one.count)} requests`,
    },
    {
      ...{ name: `${name}, CPU of the server`, value: one.cpuMs, unit: 'ms' },
      ...most(reach?.cpuMs),
      note: 'a request',
    },
    {
      ...{ name: `${name}, 8 connections`, value: eight.perSecond, unit: '/s' },
      ...(least === undefined ? {} : { target: { least } }),
      note: costs(eight),
    },
    {
      ...{ name: `${name}, cold p50`, value: found.cold.p50Ms, unit: 'ms' },
      note: `the first ${String(found.cold.count)}; ${costs(found.cold)}, the very first ${ms(found.cold.firstMs)}`,
    },
  ];
}

function repeatedRow({ name }: Question, { alone: one, together: eight }: Warm): Measurement {
  return {
    ...{ name: `${name}, repeated p50`, value: one.p50Ms, unit: 'ms' },
    note: `${costs(one)}; with 8 connections ${eight.perSecond.toFixed(0)}/s`,
  };
}

const ms = (figure: number): string => `${figure.toFixed(figure < 10 ? 3 : 1)} ms`;
const costs = ({ p50Ms, p99Ms, cpuMs }: Tally): string =>
  `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, CPU ${ms(cpuMs)}`;
