/**
 * The same questions to each database, about the same samples: one server after the other is
 * filled, starts again, and is asked. What one remembers of what it was asked before, it may.
 */
import { removeDirectory, temporaryDirectory } from '../../test/support/server.js';
import { Random } from '../../test/support/random.js';

import { Connection, bodyText, writeRequestOf } from '../connection.js';
import { hourMs, loadBodies, stepMs } from '../generator.js';
import { sendAll } from '../ingest/ingest.js';
import type { Tally } from '../query/ask.js';
import { seed, type Stock } from '../query/draw.js';
import { askColdAndWarm } from '../query/measure.js';
import type { Question } from '../query/question.js';
import { rangeOf } from '../query/range.js';
import { statements } from '../query/statements.js';

import { installed, type Form, type Peer } from './programs.js';
import { remoteWriteOf } from './remote-write.js';

const stock: Stock = { hosts: 100, hours: 25 };

export interface QuestionRow extends Tally {
  readonly work: string;
  readonly peer: string;
  /** Requests a second of eight connections; what else is told is of one. */
  readonly perSecondOfEight: number;
}

/** Of the questions whose name contains `only`, and which others can be asked. */
export async function measureQuestions(only: string): Promise<QuestionRow[]> {
  const questions = [rangeOf(stock, { points: 8_640 }), ...statements(stock)].filter(
    ({ name, promql }) => promql !== undefined && name.includes(only),
  );
  const rows: QuestionRow[] = [];
  if (questions.length === 0) return rows;
  for (const peer of installed()) rows.push(...(await measurePeer(peer, questions)));
  return rows;
}

async function measurePeer(peer: Peer, questions: readonly Question[]): Promise<QuestionRow[]> {
  const folder = temporaryDirectory();
  try {
    await fill(peer, folder);
    const server = await peer.start(folder);
    const rows: QuestionRow[] = [];
    for (const question of questions) {
      const make = peer.asks(question);
      if (make === undefined) continue;
      await checkAnswer(server.port, make(new Random(seed)));
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
  const server = await peer.start(folder);
  const steps = stock.hours * (hourMs / stepMs);
  const form: Form = peer.paths.line === undefined ? 'remoteWrite' : 'line';
  const connection = await Connection.open(server.port);
  const shape = { hosts: stock.hosts, steps, fieldsPerLine: 10, values: 'integer walk' } as const;
  for (const body of loadBodies({ ...shape, format: 'line protocol' })) {
    const sent = form === 'line' ? body : remoteWriteOf(body);
    await sendAll(connection, [writeRequestOf(form, sent, peer.paths[form])]);
  }
  connection.close();
  await server.stop();
}

/** Series or rows are told as arrays, which an answer without them has none of. */
async function checkAnswer(port: number, request: Buffer): Promise<void> {
  const connection = await Connection.open(port);
  const answer = await connection.exchange(request, { keepText: true });
  connection.close();
  const text = bodyText(answer);
  const hasRows = /"values?":|\[\[/.test(text);
  if (answer.status !== 200 || !hasRows) throw new Error(`the answer was ${text.slice(0, 300)}`);
}

const widths = [46, 15, 11, 11, 11, 9, 7, 7, 7];

export function printQuestions(rows: readonly QuestionRow[]): void {
  console.log(
    '\n  one connection, and requests a second of eight; × is by what seriesdb has of it',
  );
  const titles = ['asked', 'of', 'p50', 'p99', 'server CPU', 'of 8', '× p50', '× CPU', '× of 8'];
  for (const cells of [titles, ...inOrder(rows).map((row) => cellsOf(row, rows))]) {
    const padded = cells.map((cell, at) =>
      at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
    );
    console.log(`  ${padded.join(' ')}`);
  }
}

function cellsOf(row: QuestionRow, rows: readonly QuestionRow[]): string[] {
  const own = rows.find(({ work, peer }) => work === row.work && peer === 'seriesdb');
  const ratios = [
    row.p50Ms / (own?.p50Ms ?? NaN),
    row.cpuMs / (own?.cpuMs ?? NaN),
    row.perSecondOfEight / (own?.perSecondOfEight ?? NaN),
  ];
  return [
    ...[row.work, row.peer],
    ...[row.p50Ms, row.p99Ms, row.cpuMs].map((one) => `${one.toFixed(3)} ms`),
    `${row.perSecondOfEight.toFixed(0)}/s`,
    ...ratios.map((one) => one.toFixed(2)),
  ];
}

/** Those of one question stand together. */
function inOrder(rows: readonly QuestionRow[]): readonly QuestionRow[] {
  const placeOf = (row: QuestionRow): number => rows.findIndex(({ work }) => work === row.work);
  return [...rows].sort((a, b) => placeOf(a) - placeOf(b));
}
