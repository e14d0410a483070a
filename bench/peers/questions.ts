/**
 * The same questions to each database, about the same samples: one server after the other is
 * filled, starts again, and is asked. What one remembers of what it was asked before, it may. What
 * it answers first is compared with what this build did.
 */
import { removeDirectory, temporaryDirectory } from '../../test/support/server.js';
import { Random } from '../../test/support/random.js';

import { Connection, bodyText } from '../connection.js';
import { hourMs, loadBodies, stepMs } from '../generator.js';
import { sendAll } from '../ingest/ingest.js';
import type { Tally } from '../query/ask.js';
import { seed, type Stock } from '../query/draw.js';
import { askColdAndWarm } from '../query/measure.js';
import type { Question } from '../query/question.js';
import { rangeOf } from '../query/range.js';
import { statements } from '../query/statements.js';

import { difference, type Row } from './answers.js';
import { requestOf, type Peer } from './peer.js';

const stock: Stock = { hosts: 100, hours: 25 };
/** So many answers of each are compared. */
const kCompared = 3;

export interface QuestionRow extends Tally {
  readonly work: string;
  readonly peer: string;
  /** Requests a second of eight connections; what else is told is of one. */
  readonly perSecondOfEight: number;
}

/** Of the questions whose name contains `only`, and which others can be asked. */
export async function measureQuestions(
  peers: readonly Peer[],
  only: string,
): Promise<QuestionRow[]> {
  const questions = [rangeOf(stock, { points: 8_640 }), ...statements(stock)].filter(
    ({ name, inWords }) => inWords !== undefined && name.includes(only),
  );
  const rows: QuestionRow[] = [];
  if (questions.length === 0) return rows;
  const ours: Ours = new Map();
  for (const peer of peers) rows.push(...(await measurePeer(peer, questions, ours)));
  return rows;
}

/** What this build answered, which is the first, by the question's name. */
type Ours = Map<string, readonly (readonly Row[])[]>;

async function measurePeer(
  peer: Peer,
  questions: readonly Question[],
  ours: Ours,
): Promise<QuestionRow[]> {
  const folder = temporaryDirectory();
  try {
    await fill(peer, folder);
    const server = await peer.start(folder);
    const rows: QuestionRow[] = [];
    for (const question of questions) {
      const make = peer.asks(question);
      if (make === undefined) continue;
      console.log(`  asking ${peer.name}: ${question.name} …`);
      const fault = faultOf(peer, await firstAnswers(peer, server.port, make), {
        ...{ name: question.name, ours },
      });
      if (fault !== null) {
        // Nobody is measured on another question.
        console.error(`  ${peer.name} is left out: ${fault}`);
        process.exitCode = 1;
        continue;
      }
      const { alone, together } = await askColdAndWarm(server, make);
      const { perSecond: perSecondOfEight } = together;
      rows.push({ work: question.name, peer: peer.name, ...alone, perSecondOfEight });
    }
    await server.stop();
    return rows;
  } finally {
    removeDirectory(folder);
  }
}

async function fill(peer: Peer, folder: string): Promise<void> {
  const taken = peer.filledWith ?? peer.takes.line;
  if (taken === undefined) throw new Error(`${peer.name} takes no lines`);
  const form = peer.filledWith === undefined ? 'line' : 'remoteWrite';
  console.log(`  filling ${peer.name} …`);
  const server = await peer.start(folder);
  const steps = stock.hours * (hourMs / stepMs);
  const connection = await Connection.open(server.port);
  const shape = { hosts: stock.hosts, steps, fieldsPerLine: 10, values: 'integer walk' } as const;
  for (const body of loadBodies({ ...shape, format: 'line protocol' })) {
    await sendAll(connection, [requestOf(form, taken, body)]);
  }
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
  /** Of the question. */
  readonly name: string;
  readonly ours: Ours;
}

/** What is wrong with the first of them that is not as ours; null if none is. */
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
