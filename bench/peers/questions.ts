/**
 * The same questions about the same samples to each database. For each load, one server after the
 * other is filled, restarted and queried. A server may cache earlier queries. Its first answers are
 * compared with those of this build.
 */
import { removeDirectory, startServer, temporaryDirectory } from '../../test/support/server.js';
import { Random } from '../../test/support/random.js';

import { Connection, bodyText, getRequest } from '../connection.js';
import { counterBodies, hourMs, loadBodies, stepMs, type Counters } from '../generator.js';
import { sendAll } from '../ingest/ingest.js';
import { askAll, type Tally } from '../query/ask.js';
import { seed, type Stock } from '../query/draw.js';
import { askColdAndWarm } from '../query/measure.js';
import type { Question } from '../query/question.js';
import { rateByHost } from '../query/promql.js';
import { rangeOf } from '../query/range.js';
import { statements } from '../query/statements.js';

import { difference, type Row } from './answers.js';
import { requestOf, type Peer, type PeerQuestion } from './peer.js';

/** The samples to write, and the questions about them. */
interface Load {
  readonly bodies: () => Iterable<Buffer>;
  readonly questions: readonly PeerQuestion[];
}

const stock: Stock = { hosts: 100, hours: 25 };
const counterHours = 7;
/** The number of compared answers per database and question. */
const kCompared = 3;

const loads: readonly Load[] = [
  {
    bodies: () =>
      loadBodies({
        ...{ hosts: stock.hosts, steps: stepsOf(stock.hours), fieldsPerLine: 10 },
        ...{ values: 'integer walk', format: 'line protocol' },
      }),
    questions: [rangeOf(stock, { points: 8_640 }), ...statements(stock)],
  },
  loadOf({ hosts: 500, perHost: 8, format: 'line protocol' }),
  loadOf({ hosts: 4000, perHost: 1, format: 'line protocol' }),
];

function loadOf(counters: Counters): Load {
  return {
    bodies: () => counterBodies(counters, stepsOf(counterHours)),
    questions: [inTheirWords(rateByHost(counters, counterHours))],
  };
}

function stepsOf(hours: number): number {
  return hours * (hourMs / stepMs);
}

/** A question that SeriesQL cannot express. */
function inTheirWords({ name, inWords }: Question): PeerQuestion {
  return { name, ...(inWords && { inWords }) };
}

export interface QuestionRow extends Tally {
  readonly work: string;
  readonly peer: string;
  /** Requests per second over eight connections. The other figures are of one connection. */
  readonly perSecondOfEight: number;
}

/** Questions whose name contains `only` and that other databases can answer. */
export async function measureQuestions(
  peers: readonly Peer[],
  only: string,
): Promise<QuestionRow[]> {
  const rows: QuestionRow[] = [];
  const ours: Ours = new Map();
  for (const { bodies, questions } of loads) {
    const asked = questions.filter(
      ({ name, inWords }) => inWords !== undefined && name.includes(only),
    );
    for (const peer of peers) {
      const known = asked.flatMap((question) => {
        const make = peer.asks(question);
        return make === undefined ? [] : [{ name: question.name, make }];
      });
      if (known.length === 0) continue;
      if (ours.size === 0) await warmClient();
      rows.push(...(await measurePeer(peer, { bodies: bodies(), asked: known }, ours)));
    }
  }
  return rows;
}

/** Warms up the client, so that the first server does not wait for its compilation. */
async function warmClient(): Promise<void> {
  const dataDir = temporaryDirectory();
  try {
    const server = await startServer({ dataDir });
    const requests = Array<Buffer>(40_000).fill(getRequest('/healthz'));
    await askAll(server, requests, { connections: 1, mostMs: 3_000 });
    await server.stop();
  } finally {
    removeDirectory(dataDir);
  }
}

/** The answers of this build, which runs first, by the question's name. */
type Ours = Map<string, readonly (readonly Row[])[]>;

/** A load, and the questions in a peer's language. */
interface AskedOf {
  readonly bodies: Iterable<Buffer>;
  readonly asked: readonly Pick<Question, 'name' | 'make'>[];
}

async function measurePeer(
  peer: Peer,
  { bodies, asked }: AskedOf,
  ours: Ours,
): Promise<QuestionRow[]> {
  const folder = temporaryDirectory();
  try {
    await fill(peer, folder, bodies);
    const server = await peer.start(folder);
    const rows: QuestionRow[] = [];
    for (const { name, make } of asked) {
      console.log(`  asking ${peer.name}: ${name} …`);
      const fault = faultOf(peer, await firstAnswers(peer, server.port, make), {
        ...{ name, ours },
      });
      if (fault !== null) {
        // A database that answers another question is not measured.
        console.error(`  ${peer.name} is left out: ${fault}`);
        process.exitCode = 1;
        continue;
      }
      const { alone, together } = await askColdAndWarm(server, make);
      const { perSecond: perSecondOfEight } = together;
      rows.push({ work: name, peer: peer.name, ...alone, perSecondOfEight });
    }
    await server.stop();
    return rows;
  } finally {
    removeDirectory(folder);
  }
}

async function fill(peer: Peer, folder: string, bodies: Iterable<Buffer>): Promise<void> {
  const taken = peer.filledWith ?? peer.takes.line;
  if (taken === undefined) throw new Error(`${peer.name} takes no lines`);
  const form = peer.filledWith === undefined ? 'line' : 'remoteWrite';
  console.log(`  filling ${peer.name} …`);
  const server = await peer.start(folder);
  const connection = await Connection.open(server.port);
  for (const body of bodies) await sendAll(connection, [requestOf(form, taken, body)]);
  connection.close();
  await peer.settle?.(server.port);
  await server.stop();
}

async function firstAnswers(
  peer: Peer,
  port: number,
  make: Question['make'],
): Promise<(readonly Row[])[]> {
  const random = new Random(seed);
  const answers: (readonly Row[])[] = [];
  const connection = await Connection.open(port);
  for (let count = 0; count < kCompared; count++) {
    const answer = await connection.exchange(make(random), { keepText: true });
    const text = bodyText(answer);
    if (answer.status !== 200) throw new Error(`${peer.name} answered ${text.slice(0, 300)}`);
    answers.push(peer.rows(text));
  }
  connection.close();
  return answers;
}

interface Compared {
  /** The question's name. */
  readonly name: string;
  readonly ours: Ours;
}

/** The first difference from our answers; null if there is none. */
function faultOf(
  { isExact }: Peer,
  answers: readonly (readonly Row[])[],
  { name, ours }: Compared,
): string | null {
  const own = ours.get(name) ?? answers;
  ours.set(name, own);
  const faults = answers.map((rows, at) => difference(own[at] ?? [], rows, isExact));
  return faults.find((fault) => fault !== null) ?? null;
}
